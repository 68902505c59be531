/**
 * Local wall-clock time of a zone from cached formatters: building an Intl formatter costs a thousand times more than
 * using it, and this is on the path of every step that respects business hours.
 */

const MAX_ZONES = 700;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A zone's formatter with the minute that it was asked for last: those of a batch ask for one instant. */
interface Zone {
  formatter: Intl.DateTimeFormat;
  /** Epoch ms of the minute, and its wall clock read as if it were UTC. */
  minute: number;
  wall: number;
}

const zones = new Map<string, Zone>();

function zoneOf(timezone: string): Zone {
  const known = zones.get(timezone);
  if (known) return known;
  if (zones.size >= MAX_ZONES) zones.clear();
  const formatter = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const made = { formatter, minute: Number.NaN, wall: Number.NaN };
  zones.set(timezone, made);
  return made;
}

/** Whether this machine knows the zone (IANA name such as `Europe/Berlin`). */
export function isTimezone(timezone: string): boolean {
  if (timezone === '') return false;
  try {
    zoneOf(timezone);
    return true;
  } catch {
    return false;
  }
}

/** What Node takes for a zone, and Postgres for something else or for nothing: offsets, Java's names, abbreviations of a part of the year. */
const READ_OTHERWISE =
  /^(?:[+-].*|systemv\/.*|act|aet|agt|art|ast|bet|bst|cat|cet|cnt|cst|ctt|eat|ect|eet|iet|ist|jst|met|mit|net|nst|plt|pnt|prt|pst|sst|vst|wet)$/i;

/**
 * Whether it is a zone by a name under which the database knows the same. It reads the sign of an offset (`+05:30`) the other way
 * round, has no summer in `CET`, and ends the statement of a whole batch at a name that it does not know (`IET`).
 */
export function isNamedTimezone(timezone: string): boolean {
  return !READ_OTHERWISE.test(timezone) && isTimezone(timezone);
}

/** The first zone that exists, else UTC. */
export function firstTimezone(...candidates: readonly (string | null | undefined)[]): string {
  return candidates.find((zone) => typeof zone === 'string' && isTimezone(zone)) ?? 'UTC';
}

/** Epoch ms of the wall clock read as if it were UTC; whole seconds. Clocks are changed at full minutes. */
function wallClock(atMs: number, timezone: string): number {
  const zone = zoneOf(timezone);
  const minute = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  if (zone.minute !== minute) {
    zone.wall = readWall(zone.formatter.format(minute));
    zone.minute = minute;
  }
  return zone.wall + (atMs - minute);
}

/** `2026-03-29 01:59:00` as if it were UTC. */
function readWall(text: string): number {
  return Date.UTC(
    Number(text.slice(0, 4)),
    Number(text.slice(5, 7)) - 1,
    Number(text.slice(8, 10)),
    Number(text.slice(11, 13)),
    Number(text.slice(14, 16)),
    Number(text.slice(17, 19)),
  );
}

/** Local minus UTC in ms at an instant. */
export function zoneOffset(atMs: number, timezone: string): number {
  const whole = Math.floor(atMs / 1000) * 1000;
  return wallClock(whole, timezone) - whole;
}

export interface LocalTime {
  /** Days since 1970-01-01 of the local date. */
  dayNumber: number;
  /** Monday 1 to Sunday 7. */
  weekday: number;
  /** 0 to 23. */
  hour: number;
}

/** Monday 1 to Sunday 7; day 0 was a Thursday. */
export function weekdayOf(dayNumber: number): number {
  return ((((dayNumber + 3) % 7) + 7) % 7) + 1;
}

/** Local date, weekday and hour of an instant. */
export function localTime(atMs: number, timezone: string): LocalTime {
  const wall = wallClock(Math.floor(atMs / 1000) * 1000, timezone);
  const dayNumber = Math.floor(wall / DAY_MS);
  return { dayNumber, weekday: weekdayOf(dayNumber), hour: Math.floor((wall - dayNumber * DAY_MS) / 3_600_000) };
}

/** `2026-03-29` of a day number. */
export function dateOfDay(dayNumber: number): string {
  return new Date(dayNumber * DAY_MS).toISOString().slice(0, 10);
}

/** Day number of `2026-03-29`; NaN when it is no date. */
export function dayOfDate(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
}

/**
 * First instant of a local date at which the clock shows this hour or, where daylight saving skips it, the first
 * instant after the gap. Hour 24 is the next date's midnight.
 */
export function instantOf(dayNumber: number, hour: number, timezone: string): number {
  const naive = dayNumber * DAY_MS + hour * 3_600_000;
  const before = naive - zoneOffset(naive - DAY_MS, timezone);
  const after = naive - zoneOffset(naive + DAY_MS, timezone);
  if (before === after) return before;
  const valid = [before, after].filter((at) => at + zoneOffset(at, timezone) === naive);
  return valid.length > 0 ? Math.min(...valid) : Math.max(before, after);
}
