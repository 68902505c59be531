import type { Span } from '../../domain/free-slots.ts';
import { CallError } from '../call-error.ts';
import { askOutside } from '../outside-http.ts';
import type { CalendarProvider } from './calendar-provider.ts';

const TIMEOUT_MS = 15_000;
/** Periods that are read at most, and characters of an answer that has so many. */
const MAX_PERIODS = 5_000;
const MAX_TEXT = 512 * 1024;

/**
 * Any calendar that speaks CalDAV. It is asked for busy times only (RFC 4791, free-busy-query): the server expands
 * recurring events, and no title of anybody's appointment leaves it.
 */
export const caldav: CalendarProvider = {
  async busy({ url, username, password, reach }, span, signal) {
    const answer = await askOutside({
      method: 'REPORT',
      url,
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        'content-type': 'application/xml; charset=utf-8',
        depth: '1',
      },
      body: `<?xml version="1.0" encoding="utf-8"?><C:free-busy-query xmlns:C="urn:ietf:params:xml:ns:caldav"><C:time-range start="${stamp(span.start)}" end="${stamp(span.end)}"/></C:free-busy-query>`,
      timeoutMs: TIMEOUT_MS,
      signal,
      harmless: true,
      reach,
    });
    return busyPeriods(answer.text);
  },
};

/** `20260203T090000Z` */
function stamp(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/**
 * The FREEBUSY periods of an iCalendar text; free ones are none. Times are UTC (RFC 5545, 3.8.2.6). What can't be read may be
 * taken, so it is no answer. It is read in the process that asked: each line is looked at a bounded number of times, and no pattern
 * looks for an end from more than one beginning, so that its cost is linear in a text of half a megabyte.
 * @throws CallError
 */
export function busyPeriods(text: string): readonly Span[] {
  if (text.length > MAX_TEXT)
    throw new CallError('refused', `the calendar answered with more than ${MAX_TEXT} characters`);
  // A line goes on in the next when that begins with a space.
  const lines = text.replace(/\r?\n[ \t]/g, '').split(/(?:\r?\n)+/);
  const says = (wanted: string): boolean => lines.some((line) => line.trim().toUpperCase() === wanted);
  if (!says('BEGIN:VFREEBUSY')) throw new CallError('refused', 'the calendar gave no free-busy answer');
  if (!says('END:VFREEBUSY')) throw new CallError('busy', 'the answer of the calendar is cut');
  const periods = lines.flatMap((line) => {
    const { name, value } = splitLine(line);
    if (!/^FREEBUSY(;|$)/i.test(name) || /;FBTYPE="?FREE"?(;|$)/i.test(name.replace(/="[^"]*[;:,][^"]*"/g, '=')))
      return [];
    return value.split(',').map(periodOf);
  });
  if (periods.length > MAX_PERIODS) throw new CallError('refused', `the calendar names more than ${MAX_PERIODS} times`);
  return periods.filter(({ start, end }) => end > start);
}

/** Parameters may be quoted, and hold a colon then. */
function splitLine(line: string): { name: string; value: string } {
  const [name = ''] = /^(?:"[^"]*"|[^":])*/.exec(line) ?? [];
  return { name, value: line.slice(name.length + 1) };
}

/** `start/end` or `start/duration`. @throws CallError */
function periodOf(text: string): Span {
  const [from = '', to = ''] = text.trim().split('/');
  const start = instant(from);
  const end = /^\+?P/.test(to) ? start + durationMs(to.replace('+', '')) : instant(to);
  // A comparison with what is no number is false.
  if (end >= start) return { start, end };
  throw new CallError('refused', `the calendar names a time that can not be read: ${text.slice(0, 60)}`);
}

function instant(text: string): number {
  const parts = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(text);
  if (!parts) return Number.NaN;
  const [year, month, day, hour, minute, second] = parts.slice(1);
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second === '60' ? '59' : second}Z`);
}

function durationMs(text: string): number {
  const parts = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text);
  if (!parts || !/\d[A-Z]$/.test(text)) return Number.NaN;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
}
