import { isUuid } from '../../base/ids.ts';
import type { StoredEvent } from '../events/read-events.ts';

/** The leads that an event names, of a run or by its data: their deliveries keep their order. */
export function leadsOf({ leadId, data }: Pick<StoredEvent, 'leadId' | 'data'>): string[] {
  const chunk = Array.isArray(data['leadIds']) ? data['leadIds'] : [];
  const named = [leadId, data['leadId'], ...chunk].filter((id) => typeof id === 'string' && isUuid(id));
  return [...new Set(named as string[])];
}
