import { zoneOffset } from '../../../domain/local-time.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Before and after an event its zone is described for so long: what a program shows around it is right too. */
const AROUND_MS = 400 * DAY_MS;

/**
 * The VTIMEZONE of a zone around an event, each change of its clocks by itself. Servers that are given none expand a zone with one
 * fixed offset, so it is always sent.
 * @param at epoch ms UTC
 */
export function zoneLines(timezone: string, at: number): string[] {
  const from = at - AROUND_MS;
  const changes = changesOf(timezone, from, at + AROUND_MS);
  const first = zoneOffset(from, timezone);
  const parts = [observance(from, first, first, 'STANDARD')];
  for (const change of changes) {
    const before = zoneOffset(change - MINUTE_MS, timezone);
    const after = zoneOffset(change, timezone);
    parts.push(observance(change, before, after, after > before ? 'DAYLIGHT' : 'STANDARD'));
  }
  return ['BEGIN:VTIMEZONE', `TZID:${timezone}`, ...parts.flat(), 'END:VTIMEZONE'];
}

/** Instants at which the zone's offset changes. */
function changesOf(timezone: string, from: number, until: number): number[] {
  const found: number[] = [];
  for (let day = from; day < until; day += DAY_MS) {
    if (zoneOffset(day, timezone) !== zoneOffset(day + DAY_MS, timezone))
      found.push(changeIn(timezone, day, day + DAY_MS));
  }
  return found;
}

function changeIn(timezone: string, from: number, until: number): number {
  let [low, high] = [Math.floor(from / MINUTE_MS), Math.ceil(until / MINUTE_MS)];
  const before = zoneOffset(low * MINUTE_MS, timezone);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zoneOffset(middle * MINUTE_MS, timezone) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
}

function observance(at: number, before: number, after: number, kind: 'STANDARD' | 'DAYLIGHT'): string[] {
  return [
    `BEGIN:${kind}`,
    `DTSTART:${wallStamp(at + before)}`,
    `TZOFFSETFROM:${offsetText(before)}`,
    `TZOFFSETTO:${offsetText(after)}`,
    `END:${kind}`,
  ];
}

/** A wall clock that is read as if it were UTC: `20260203T090000`. */
export function wallStamp(wall: number): string {
  return new Date(wall).toISOString().replace(/[-:]|\.\d{3}Z/g, '');
}

/** `+0530`, with seconds where a zone has some. */
function offsetText(ms: number): string {
  const all = Math.abs(Math.round(ms / 1_000));
  const parts = [Math.floor(all / 3_600), Math.floor(all / 60) % 60, ...(all % 60 === 0 ? [] : [all % 60])];
  return `${ms < 0 ? '-' : '+'}${parts.map((part) => String(part).padStart(2, '0')).join('')}`;
}
