import type { CalendarEvent } from '../../domain/calendar/calendar-event.ts';
import type { Span } from '../../domain/calendar/span.ts';

/** A connected calendar with its opened credentials. */
export interface CalendarAccess {
  /** Address of the collection. */
  url: string;
  username: string;
  password: string;
  /** Where the address may lead. */
  reach: 'public' | 'any';
  /** IANA zone of the account: its clocks are those of floating times. */
  timezone: string;
  /** Addresses of the calendar's owner. */
  own: readonly string[];
  /** Whose calendar it is: workspaces take turns where calendars are read. */
  workspaceId: string;
}

/** Port of a calendar. */
export interface CalendarProvider {
  /**
   * All events that have a moment in the span (epoch ms UTC), each instance of a series by itself, in order; cancelled ones and such that
   * take no time too.
   * @throws CallError; UnreadableCalendar where one can't be read: a calendar that nobody can read is never free
   */
  events(access: CalendarAccess, span: Span, signal: AbortSignal): Promise<readonly CalendarEvent[]>;
}
