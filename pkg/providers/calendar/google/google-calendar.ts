import { z } from 'zod';
import { usableText } from '../../../base/usable-text.ts';
import type { CalendarEvent } from '../../../domain/calendar/calendar-event.ts';
import type { Span } from '../../../domain/calendar/span.ts';
import { dayOfDate, instantOf } from '../../../domain/local-time.ts';
import { CallError } from '../../call-error.ts';
import { askGoogle, type GoogleAccess } from '../../google/google-request.ts';
import { jsonOf } from '../../outside-http.ts';
import { calendarEventOf, googleEvent } from './google-event.ts';

/** The API of Google Calendar, version 3. */
export const GOOGLE_CALENDAR_URL = 'https://www.googleapis.com/calendar/v3';
/** Events of a page, of which an answer of a megabyte holds all with their texts and guests; and pages of a span. */
const PAGE = 100;
const MOST_PAGES = 60;

const calendarShape = z.object({ id: z.string().min(1), timeZone: z.string().optional() });

/** The calendar that an account has first: its id is the account's address. @throws CallError */
export async function primaryCalendar(
  access: GoogleAccess,
  signal: AbortSignal,
): Promise<{ id: string; timezone: string | null }> {
  const answer = await askGoogle(access, { method: 'GET', path: ['calendars', 'primary'] }, signal);
  const parsed = calendarShape.safeParse(jsonOf(answer, true));
  if (!parsed.success) throw new CallError('refused', 'Google answered in another shape');
  return { id: usableText(parsed.data.id, 320), timezone: parsed.data.timeZone ?? null };
}

const pageShape = z.object({ items: z.array(z.unknown()).default([]), nextPageToken: z.string().optional() });

/** All events that have a moment in the span, of series each instance. @throws CallError */
export async function googleEvents(
  access: GoogleAccess & { calendarId: string; timezone: string },
  span: Span,
  signal: AbortSignal,
): Promise<readonly CalendarEvent[]> {
  const midnightOf = (date: string): number => instantOf(dayOfDate(date), 0, access.timezone);
  const found: CalendarEvent[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = {
      singleEvents: 'true',
      orderBy: 'startTime',
      maxResults: String(PAGE),
      // They bound the end and the start, both exclusive: whole days begin and end in the calendar's zone.
      timeMin: new Date(span.start).toISOString(),
      timeMax: new Date(span.end).toISOString(),
      ...(pageToken === undefined ? {} : { pageToken }),
    };
    const path = ['calendars', access.calendarId, 'events'];
    const parsed = pageShape.safeParse(jsonOf(await askGoogle(access, { method: 'GET', path, query }, signal), true));
    if (!parsed.success) throw new CallError('busy', 'Google answered in another shape');
    for (const item of parsed.data.items) {
      const event = googleEvent.safeParse(item);
      const told = event.success ? calendarEventOf(event.data, midnightOf) : null;
      if (told) found.push(told);
      // What can not be read may take time, so it is no answer.
      else if (!event.success || event.data.status !== 'cancelled')
        throw new CallError('refused', 'an event of the calendar can not be read');
    }
    pageToken = parsed.data.nextPageToken;
    if (pageToken === undefined) return found;
  }
  throw new CallError('refused', `the calendar has more than ${MOST_PAGES * PAGE} events in this time`);
}
