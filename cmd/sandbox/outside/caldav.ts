import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import { kept, note } from './book.ts';

/** A taken time of a calendar, epoch ms; set through the control API. */
export interface Taken {
  start: number;
  end: number;
}

/** `REPORT` with a calendar-query (RFC 4791, 7.8). */
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
  const hrefs = kept<Taken>(world.store, 'caldav', 'taken').map(
    (taken, at) =>
      `<D:response><D:href>/outside/caldav/${at}.ics</D:href><D:propstat><D:prop><C:calendar-data>${objectOf(taken, at)}</C:calendar-data></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`,
  );
  const text = `<?xml version="1.0" encoding="utf-8"?><D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">${hrefs.join('')}</D:multistatus>`;
  return { status: 207, body: {}, text, contentType: 'application/xml; charset=utf-8' };
}

/** An event of a taken time; its end is written in either form. */
function objectOf({ start, end }: Taken, at: number): string {
  const until = at % 2 === 0 ? `DTEND:${stamp(end)}` : `DURATION:PT${(end - start) / 1_000}S`;
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//sandbox//EN',
    'BEGIN:VEVENT',
    `UID:taken-${at}@sandbox`,
    `DTSTAMP:${stamp(start)}`,
    `DTSTART:${stamp(start)}`,
    until,
    'SUMMARY:Taken',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}

function stamp(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
}
