import type { CalendarEvent } from './calendar-event.ts';
import { mergeSpans, type Span } from './span.ts';

/** Entries that say where somebody works or who grows older take no time. */
const NO_MEETING: readonly CalendarEvent['kind'][] = ['working_location', 'birthday'];

/**
 * Whether an event takes its owner's time: it was not cancelled, its owner calls it busy and did not decline. What the owner has not
 * answered, or only with a perhaps, takes it: the slot may not be given away.
 */
export function isBusy(event: CalendarEvent): boolean {
  if (event.status === 'cancelled' || event.transparent || event.own === 'declined') return false;
  return !NO_MEETING.includes(event.kind);
}

/** When the owner of these events is busy, in order and merged. */
export function busySpans(events: readonly CalendarEvent[]): Span[] {
  return mergeSpans(events.filter(isBusy));
}
