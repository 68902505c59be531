import { caldavWriter } from './caldav-writer.ts';
import type { CalendarWriter } from './calendar-writer.ts';
import { googleWriter } from './google/google-writer.ts';

/** Calendars that can be written to, by the provider of their account. */
export const CALENDAR_WRITERS: Readonly<Record<string, CalendarWriter>> = {
  caldav: caldavWriter,
  google: googleWriter,
};
