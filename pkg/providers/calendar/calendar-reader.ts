import type { CalendarEvent } from '../../domain/calendar/calendar-event.ts';
import type { Span } from '../../domain/calendar/span.ts';
import { caldavEvents } from './caldav.ts';
import { googleEvents } from './google/google-calendar.ts';
import type { ReaderAccess } from './reader-access.ts';

type Reader = (access: ReaderAccess, span: Span, signal: AbortSignal) => Promise<readonly CalendarEvent[]>;

/** What reads a calendar, by the provider of its account. */
const READERS = { caldav: caldavEvents, google: googleEvents } satisfies Readonly<Record<string, Reader>>;

/** All events of a calendar that have a moment in the span, as its provider gives them. @throws CallError */
export function readCalendarEvents(
  provider: keyof typeof READERS,
  access: ReaderAccess,
  span: Span,
  signal: AbortSignal,
): Promise<readonly CalendarEvent[]> {
  return READERS[provider](access, span, signal);
}
