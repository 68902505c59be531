import { askOutside } from '../outside-http.ts';
import { calendarData } from './calendar-data.ts';
import type { CalendarProvider } from './calendar-provider.ts';
import { readIcalEvents } from './ical/read-events.ts';

const TIMEOUT_MS = 15_000;
/** Zones are at most 14 hours from UTC: a server that reads whole days, floating times or zones otherwise is off by less than two of that. */
const AROUND_MS = 2 * 86_400_000;

/**
 * Any calendar that speaks CalDAV. It is asked for the objects that have a moment in the span (RFC 4791, calendar-query), and they are read
 * and expanded here: servers differ in what they make of series, zones and whole days, and some answer no question for busy times. Since
 * they choose by what they make of them, they are asked for days more on either side; what has no moment in the span is left out here.
 */
export const caldav: CalendarProvider = {
  async events({ url, username, password, reach, timezone, own, workspaceId }, span, signal) {
    const answer = await askOutside({
      method: 'REPORT',
      url,
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        'content-type': 'application/xml; charset=utf-8',
        depth: '1',
      },
      body: `<?xml version="1.0" encoding="utf-8"?><C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range start="${stamp(span.start - AROUND_MS)}" end="${stamp(span.end + AROUND_MS)}"/></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`,
      timeoutMs: TIMEOUT_MS,
      signal,
      harmless: true,
      reach,
    });
    return readIcalEvents(calendarData(answer.text), span, timezone, own, workspaceId);
  },
};

/** `20260203T090000Z` */
function stamp(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
}
