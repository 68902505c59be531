import { z } from 'zod';
import { VENDORS } from '../../providers/ai/vendors.ts';
import { ENRICHMENT_VENDORS } from '../../providers/enrichment/choose-enrichment.ts';
import { CRMS, OUTREACH_PLATFORMS } from '../../providers/integrations.ts';
import { isoOrNull } from '../times.ts';

/** Catalog record Integration; credentials are never part of it. */
export const integrationRecord = z.object({
  integrationId: z.string(),
  provider: z.string(),
  kind: z.string(),
  name: z.string(),
  status: z.string(),
  events: z.array(z.string()),
  personal: z.boolean().optional().describe('One member’s own; absent: the workspace’s.'),
  lastDeliveryAt: z.string().nullable(),
  failuresInRow: z.number(),
  lastError: z.string().nullable(),
});

export const INTEGRATION_COLUMNS = `id, provider, kind, name, status, events, member_user, last_delivery_at, failures_in_row,
  nullif(concat_ws('; ', ended_reason, last_error), '') as last_error`;

export interface IntegrationView {
  id: string;
  provider: string;
  kind: string;
  name: string;
  status: string;
  events: string[];
  member_user: string | null;
  last_delivery_at: number | null;
  failures_in_row: number;
  last_error: string | null;
}

export function integrationOf(row: IntegrationView): z.output<typeof integrationRecord> {
  const { id, provider, kind, name, status, events } = row;
  return {
    integrationId: id,
    provider,
    kind,
    name,
    status,
    events,
    ...(row.member_user === null ? {} : { personal: true }),
    lastDeliveryAt: isoOrNull(row.last_delivery_at),
    failuresInRow: row.failures_in_row,
    lastError: row.last_error,
  };
}

export type IntegrationKind = 'crm' | 'outreach' | 'ai' | 'enrichment' | 'webhook' | 'chat' | 'calendar' | 'mail';

/** What can be connected today, with the kind of each. */
export const CONNECTABLE: ReadonlyMap<string, IntegrationKind> = new Map<string, IntegrationKind>([
  ...Object.keys(CRMS).map((name) => [name, 'crm'] as const),
  ...Object.keys(OUTREACH_PLATFORMS).map((name) => [name, 'outreach'] as const),
  ...[...ENRICHMENT_VENDORS.keys()].map((name) => [name, 'enrichment'] as const),
  ...VENDORS.map((name) => [name, 'ai'] as const),
  ['slack', 'chat'] as const,
  ['webhook', 'webhook'] as const,
  ['google', 'calendar'] as const,
  ['caldav', 'calendar'] as const,
  ['gmail', 'mail'] as const,
  ['smtp_imap', 'mail'] as const,
]);
