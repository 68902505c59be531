import type { Span } from '../../domain/free-slots.ts';
import { CallError } from '../call-error.ts';
import { askOutside } from '../outside-http.ts';
import type { CalendarProvider } from './calendar-provider.ts';

const TIMEOUT_MS = 15_000;
/** Periods that are read at most. */
const MAX_PERIODS = 5_000;

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
    if (!answer.text.includes('BEGIN:VCALENDAR'))
      throw new CallError('refused', 'the calendar gave no free-busy answer');
    return busyPeriods(answer.text);
  },
};

/** `20260203T090000Z` */
function stamp(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/**
 * The FREEBUSY periods of an iCalendar text; free ones are none. Times are UTC (RFC 5545, 3.8.2.6).
 * @throws CallError when one can not be read: it would be offered as free time
 */
export function busyPeriods(text: string): readonly Span[] {
  // A line goes on in the next when that begins with a space.
  const lines = text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  const periods = lines.flatMap((line) => {
    const [name = '', value = ''] = splitLine(line);
    if (!/^FREEBUSY(;|$)/i.test(name) || /FBTYPE="?FREE"?(;|$)/i.test(name)) return [];
    return value.split(',').map(periodOf);
  });
  if (periods.length > MAX_PERIODS)
    throw new CallError('refused', `the free-busy answer has more than ${MAX_PERIODS} periods`);
  return periods.filter(({ start, end }) => end > start);
}

function splitLine(line: string): readonly string[] {
  const colon = line.indexOf(':');
  return colon < 0 ? [line] : [line.slice(0, colon), line.slice(colon + 1)];
}

/** `start/end` or `start/duration`. */
function periodOf(text: string): Span {
  const [from = '', to = ''] = text.trim().split('/');
  const start = instant(from);
  const end = to.startsWith('P') ? start + durationMs(to) : instant(to);
  if (end >= start) return { start, end };
  throw new CallError('refused', `the free-busy answer has a period that can not be read: ${text.trim().slice(0, 60)}`);
}

function instant(text: string): number {
  const parts = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(text);
  if (!parts) return Number.NaN;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function durationMs(text: string): number {
  const parts = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text);
  if (!parts) return Number.NaN;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
}
