import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import { kept, note } from './book.ts';

/** A taken time of a calendar, epoch ms; set through the control API. */
export interface Taken {
  start: number;
  end: number;
}

/** `REPORT` with a free-busy-query (RFC 4791, 7.10). */
export function caldav(world: World, call: Call): Reply {
  const range = /time-range start="(\d{8}T\d{6}Z)" end="(\d{8}T\d{6}Z)"/.exec(
    typeof call.body === 'string' ? call.body : '',
  );
  if (call.method !== 'REPORT' || !range) throw new Refusal(400, 'invalid_parameters', 'only free-busy-query');
  note(world.store, {
    at: world.clock.now(),
    service: 'caldav',
    action: 'free-busy',
    about: '',
    idempotencyKey: null,
    headers: {},
    body: range[0],
  });
  const periods = kept<Taken>(world.store, 'caldav', 'taken').map(({ start, end }, at) =>
    at % 2 === 0 ? `${stamp(start)}/${stamp(end)}` : `${stamp(start)}/PT${(end - start) / 1_000}S`,
  );
  const lines = periods.length > 0 ? folded(`FREEBUSY;FBTYPE=BUSY:${periods.join(',')}`) : [];
  const text = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//sandbox//EN',
    'BEGIN:VFREEBUSY',
    ...lines,
    'END:VFREEBUSY',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
  return { status: 200, body: {}, text, contentType: 'text/calendar; charset=utf-8' };
}

function stamp(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** Lines have 75 octets at most; what is longer goes on after a space (RFC 5545, 3.1). */
function folded(line: string): string[] {
  return [line.slice(0, 75), ...(line.slice(75).match(/.{1,74}/g) ?? []).map((rest) => ` ${rest}`)];
}
