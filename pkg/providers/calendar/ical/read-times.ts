import type { Length, Rule } from '../../../domain/calendar/series.ts';
import { UTC, type Zone } from '../../../domain/calendar/wall-time.ts';
import { instantOfWritten, type Places, type WrittenTime } from '../../../domain/calendar/written-time.ts';
import { type Component, type Property, parameterOf } from './component.ts';

const DAY_MS = 86_400_000;

/** What a TZID means. @throws Error for a name that nobody knows */
export type ZoneByName = (tzid: string) => Zone;

/** The times of a property, each by the clocks of its TZID. @throws Error for what is no time */
export function timesOfProperty(property: Property, zones: ZoneByName): WrittenTime[] {
  const tzid = parameterOf(property, 'tzid');
  return property.values.map((value) => timeOf(value, tzid, zones));
}

/** `2026-02-03`, `2026-02-03T09:00:00`, with Z for UTC: as the library writes dates and times. @throws Error */
function timeOf(value: unknown, tzid: string, zones: ZoneByName): WrittenTime {
  const parts = typeof value === 'string' ? /^(\d{4}-\d\d-\d\d)(?:T(?:(\d\d:\d\d):(\d\d)|::))?(Z?)$/.exec(value) : null;
  if (!parts) throw new Error(`"${String(value).slice(0, 60)}" is no time`);
  const [, date = '', clock, seconds = '', utc] = parts;
  if (clock === undefined) return { wall: exact(`${date}T00:00:00.000Z`), isDate: true, zone: null };
  // A second is added to a minute once in years; no clock here has it.
  const wall = exact(`${date}T${clock}:${seconds === '60' ? '59' : seconds}.000Z`);
  if (utc === 'Z') return { wall, isDate: false, zone: UTC };
  return { wall, isDate: false, zone: tzid === '' ? null : zones(tzid) };
}

/** Epoch ms of an ISO time that exists: 31 February is none. @throws Error */
function exact(iso: string): number {
  const at = Date.parse(iso);
  if (!Number.isFinite(at) || new Date(at).toISOString() !== iso) throw new Error(`"${iso}" is no time`);
  return at;
}

/** `P1DT2H`: days by the clock, the rest exact (RFC 5545, 3.3.6). @throws Error */
export function lengthOfDuration(value: unknown): Length {
  const text = String(value);
  const parts = /^\+?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?$/.exec(text);
  if (!parts || !/\d[A-Z]$/.test(text)) throw new Error(`"${text.slice(0, 60)}" is no duration`);
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return { days: 7 * weeks + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1_000 };
}

/**
 * How long an event lasts. A date without an end lasts its day, a time without one nothing (RFC 5545, 3.6.1). Of an end the exact time
 * between holds for all instances, of a duration its days by the clock (3.8.5.3).
 * @throws Error for an end before the beginning
 */
export function lengthOf(event: Component, start: WrittenTime, zones: ZoneByName, places: Places): Length {
  const [until] = event.all('dtend');
  const [duration] = event.all('duration');
  if (until) return between(start, timesOfProperty(until, zones)[0], places);
  if (!duration) return { days: start.isDate ? 1 : 0, ms: 0 };
  const length = lengthOfDuration(duration.values[0]);
  return start.isDate ? { days: Math.max(1, length.days), ms: 0 } : length;
}

/** The time from one written time to another. @throws Error where the second comes first */
export function between(start: WrittenTime, end: WrittenTime | undefined, places: Places): Length {
  if (!end) throw new Error('an end says nothing');
  if (start.isDate && end.isDate) {
    // Some programs write the same day as the end of one day.
    const days = Math.round((end.wall - start.wall) / DAY_MS);
    if (days >= 0) return { days: Math.max(1, days), ms: 0 };
  }
  const ms = instantOfWritten(end, places) - instantOfWritten(start, places);
  if (ms < 0) throw new Error('it ends before it begins');
  return { days: 0, ms };
}

/** Parts of a rule that say which times it gives. */
const PARTS = [
  ...['freq', 'interval', 'bysecond', 'byminute', 'byhour', 'byday', 'bymonthday', 'byyearday', 'byweekno'],
  ...['bymonth', 'bysetpos', 'wkst', 'skip'],
];

/** The recurrence rule of a value as the library cut it. @throws Error for a rule of another calendar than ours */
export function ruleOf(value: unknown): Rule {
  if (typeof value !== 'object' || value === null) throw new Error('a rule says nothing');
  const said = value as Record<string, unknown>;
  const scale = said['rscale'];
  if (scale !== undefined && !/^gregorian$/i.test(String(scale))) throw new Error('a rule counts by another calendar');
  const parts = PARTS.flatMap((name) => {
    const part = said[name];
    return part === undefined ? [] : [`${name.toUpperCase()}=${wordOf(name, part)}`];
  });
  const count = said['count'];
  if (count !== undefined && !(typeof count === 'number' && count > 0)) throw new Error('a rule counts to nothing');
  const until = said['until'] === undefined ? null : timeOf(said['until'], '', () => UTC);
  return { text: parts.join(';'), count: count ?? null, until };
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** The library tells the first day of a week by its number. */
function wordOf(name: string, part: unknown): string {
  if (name === 'wkst' && typeof part === 'number') return WEEKDAYS[part - 1] ?? 'MO';
  return Array.isArray(part) ? part.join(',') : String(part);
}
