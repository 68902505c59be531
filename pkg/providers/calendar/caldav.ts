import type { CalendarEvent } from '../../domain/calendar/calendar-event.ts';
import type { Span } from '../../domain/calendar/span.ts';
import { utcStamp } from '../../domain/calendar/wall-time.ts';
import { calendarData } from './calendar-data.ts';
import { davAnswer } from './dav/dav-request.ts';
import { readIcalEvents } from './ical/read-events.ts';
import type { ReaderAccess } from './reader-access.ts';

/** Zones are at most 14 hours from UTC: a server that reads whole days, floating times or zones otherwise is off by less than two of that. */
const AROUND_MS = 2 * 86_400_000;

/**
 * Any calendar that speaks CalDAV. It is asked for the objects that have a moment in the span (RFC 4791, calendar-query), and they are read
 * and expanded here: servers differ in what they make of series, zones and whole days, and some answer no question for busy times. Since
 * they choose by what they make of them, they are asked for days more on either side; what has no moment in the span is left out here.
 * @returns the events of the span in order, each instance of a series by itself; cancelled ones and such that take no time too
 * @throws CallError; UnreadableCalendar where one can't be read: a calendar that nobody can read is never free
 */
export async function caldavEvents(access: ReaderAccess, span: Span, signal: AbortSignal): Promise<CalendarEvent[]> {
  const body = `<?xml version="1.0" encoding="utf-8"?><C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range start="${utcStamp(span.start - AROUND_MS)}" end="${utcStamp(span.end + AROUND_MS)}"/></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`;
  const { url, username, password, reach } = access;
  const request = { method: 'REPORT', url, headers: { depth: '1' }, body, harmless: true } as const;
  const answer = await davAnswer({ username, password, reach }, request, signal);
  return readIcalEvents(calendarData(answer.text), span, access.timezone, [access.email], access.workspaceId);
}
