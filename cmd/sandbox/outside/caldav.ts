import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import { kept, note } from './book.ts';

/** A taken time of a calendar, epoch ms; set through the control API. */
export interface Taken {
  start: number;
  end: number;
  /** Whole days: midnights of dates in UTC. */
  allDay?: boolean;
}

/** `REPORT` with a calendar-query (RFC 4791, 7.8), as a server answers for whom a date is a day in UTC. */
export function caldav(world: World, call: Call): Reply {
  const range = /time-range start="(\d{8}T\d{6}Z)" end="(\d{8}T\d{6}Z)"/.exec(
    typeof call.body === 'string' ? call.body : '',
  );
  if (call.method !== 'REPORT' || !range) throw new Refusal(400, 'invalid_parameters', 'only calendar-query');
  note(world.store, {
    at: world.clock.now(),
    service: 'caldav',
    action: 'query',
    about: '',
    idempotencyKey: null,
    headers: {},
    body: range[0],
  });
  const [from, until] = [instantOf(range[1]), instantOf(range[2])];
  const within = kept<Taken>(world.store, 'caldav', 'taken').filter(({ start, end }) => start < until && end > from);
  const hrefs = within.map(
    (taken, at) =>
      `<D:response><D:href>/outside/caldav/${at}.ics</D:href><D:propstat><D:prop><C:calendar-data>${objectOf(taken, at)}</C:calendar-data></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`,
  );
  const text = `<?xml version="1.0" encoding="utf-8"?><D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">${hrefs.join('')}</D:multistatus>`;
  return { status: 207, body: {}, text, contentType: 'application/xml; charset=utf-8' };
}

/** An event of a taken time; its end is written in either form. */
function objectOf({ start, end, allDay = false }: Taken, at: number): string {
  const written = at % 2 === 0 ? `DTEND:${stamp(end)}` : `DURATION:PT${(end - start) / 1_000}S`;
  const date = (ms: number): string => stamp(ms).slice(0, 8);
  const times = allDay
    ? [`DTSTART;VALUE=DATE:${date(start)}`, `DTEND;VALUE=DATE:${date(end)}`]
    : [`DTSTART:${stamp(start)}`, written];
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//sandbox//EN',
    'BEGIN:VEVENT',
    `UID:taken-${at}@sandbox`,
    `DTSTAMP:${stamp(start)}`,
    ...times,
    'SUMMARY:Taken',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}

/** Epoch ms of `20260203T090000Z`. */
function instantOf(text = ''): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:'));
}

function stamp(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
}
