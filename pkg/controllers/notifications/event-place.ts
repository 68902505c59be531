import type { StoredEvent } from '../../store/events/read-events.ts';

/** A text of an event's data; null: it has none of the name. */
export function dataText({ data }: StoredEvent, name: string): string | null {
  const text = data[name];
  return typeof text === 'string' ? text : null;
}

/** The campaign of an event: that of its run, or the one that it names. */
export const campaignOf = (event: StoredEvent): string | null => event.campaignId ?? dataText(event, 'campaignId');

/** The account or mailbox that an event names. */
export const accountOf = (event: StoredEvent): string | null =>
  dataText(event, 'accountId') ?? dataText(event, 'networkAccountId') ?? dataText(event, 'providerAccountId');
