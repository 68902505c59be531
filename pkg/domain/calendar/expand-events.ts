import { expandRule } from './expand-rule.ts';
import type { Instance, Length, WrittenEvent } from './series.ts';
import { overlaps, type Span } from './span.ts';
import { instantOfWall, wallOf } from './wall-time.ts';
import { instantOfWritten, type Places, type WrittenTime, zoneOf } from './written-time.ts';

const DAY_MS = 86_400_000;

/** What an instance of a series is called: dates are compared as dates, times as instants. */
function nameOf(time: WrittenTime, places: Places): number {
  return time.isDate ? time.wall : instantOfWritten(time, places);
}

/**
 * All instances that have a moment in `span` of events with one UID: a series, its exceptions (also those that were moved into the span, or
 * out of it), or what somebody knows of a series of which only single instances were told.
 * @throws EndlessSeries; Error for a rule that is none
 */
export function expandEvents<About>(
  events: readonly WrittenEvent<About>[],
  span: Span,
  places: Places,
): Instance<About>[] {
  const start = events.find(({ replaces }) => replaces === null)?.times.start;
  const newest = newestOf(start ? events.map((event) => namedAs(event, start, places)) : events, places);
  const exceptions = newest.filter((event) => event.replaces !== null);
  const series = newest.filter((event) => event.replaces === null);
  return [
    ...series.flatMap((event) => instancesOf(event, exceptions, span, places)),
    ...exceptions.map((event) => single(event, places)),
  ]
    .filter((instance) => isWithin(instance, span))
    .sort((a, b) => a.start - b.start);
}

/** An exception names its instance as its series would: by a date where that has dates, by the series' clocks where it names none. */
function namedAs<About>(event: WrittenEvent<About>, start: WrittenTime, places: Places): WrittenEvent<About> {
  const { replaces } = event;
  if (!replaces || (replaces.time.isDate && !start.isDate)) return event;
  return { ...event, replaces: { ...replaces, time: { ...start, wall: wallIn(replaces.time, start, places) } } };
}

/** What lasts no time is within where it begins. */
function isWithin({ start, end }: Span, span: Span): boolean {
  return end > start ? overlaps({ start, end }, span) : start >= span.start && start < span.end;
}

/** Of what was written twice (the series, or the same exception) only the version with the highest number; of equal ones the last. */
function newestOf<About>(events: readonly WrittenEvent<About>[], places: Places): WrittenEvent<About>[] {
  const newest = new Map<string, WrittenEvent<About>>();
  for (const event of events) {
    const key = event.replaces ? String(nameOf(event.replaces.time, places)) : 'series';
    const known = newest.get(key);
    if (!known || event.sequence >= known.sequence) newest.set(key, event);
  }
  return [...newest.values()];
}

function single<About>(event: WrittenEvent<About>, places: Places): Instance<About> {
  const { start, length } = event.times;
  const original = event.replaces ? nameOf(event.replaces.time, places) : null;
  return { event, ...timesOf(start.wall, start, length, places), original };
}

/** The instances of a series that no exception replaces. */
function instancesOf<About>(
  event: WrittenEvent<About>,
  exceptions: readonly WrittenEvent<About>[],
  span: Span,
  places: Places,
): Instance<About>[] {
  const { start, rules, extra, except } = event.times;
  const replaced = exceptions.flatMap(({ replaces }) => (replaces ? [replaces.time] : []));
  const changes = laterChanges(exceptions, places);
  const walls = wallsAround(event, changes, span, places);
  const starts = new Map<number, Length | null>([[start.wall, null]]);
  for (const rule of rules) for (const wall of expandRule(rule, start, walls, places)) starts.set(wall, null);
  for (const more of extra) starts.set(wallIn(more.start, start, places), more.length);
  const gone = new Set([...except, ...replaced].flatMap((time) => namesOf(time, start, [...starts.keys()], places)));
  const isSeries = starts.size > 1 || rules.length > 0;
  const found: Instance<About>[] = [];
  for (const [wall, length] of starts) {
    const name = nameOf({ ...start, wall }, places);
    if (gone.has(name)) continue;
    const times = changed(event, wall, length, name, changes, places);
    found.push({ ...times, original: isSeries ? name : null });
  }
  return found;
}

/** "This and future": exceptions that hold for all later instances too, the last one first. */
interface LaterChange<About> {
  from: number;
  shift: number;
  event: WrittenEvent<About>;
}

function laterChanges<About>(exceptions: readonly WrittenEvent<About>[], places: Places): LaterChange<About>[] {
  return exceptions
    .flatMap((event) => {
      const { replaces, times } = event;
      if (!replaces?.andLater) return [];
      const zone = zoneOf(times.start, places);
      const before = replaces.time.isDate ? replaces.time.wall : wallOf(instantOfWritten(replaces.time, places), zone);
      return [{ from: nameOf(replaces.time, places), shift: times.start.wall - before, event }];
    })
    .sort((a, b) => b.from - a.from);
}

/** An instance as the series gives it, or as the last change of "this and future" made it: as much later by the clock, and as long. */
function changed<About>(
  event: WrittenEvent<About>,
  wall: number,
  length: Length | null,
  name: number,
  changes: readonly LaterChange<About>[],
  places: Places,
): Omit<Instance<About>, 'original'> {
  const { start } = event.times;
  const change = changes.find(({ from }) => from < name);
  if (!change) return { event, ...timesOf(wall, start, length ?? event.times.length, places) };
  const to = change.event.times;
  const there = start.isDate ? wall : wallOf(instantOfWritten({ ...start, wall }, places), zoneOf(to.start, places));
  return { event: change.event, ...timesOf(there + change.shift, to.start, to.length, places) };
}

/** Clock times between which an instance may begin that has a moment in the span. */
function wallsAround<About>(
  event: WrittenEvent<About>,
  changes: readonly LaterChange<About>[],
  span: Span,
  places: Places,
): Span {
  const zone = zoneOf(event.times.start, places);
  const lengths = [event.times.length, ...changes.map((change) => change.event.times.length)];
  const longest = Math.max(...lengths.map(({ days, ms }) => days * DAY_MS + ms));
  const shift = Math.max(0, ...changes.map((change) => Math.abs(change.shift)));
  // Two days more: the clocks of the zones may differ by one, and be changed by another.
  const margin = shift + 2 * DAY_MS;
  return { start: wallOf(span.start, zone) - longest - margin, end: wallOf(span.end, zone) + margin };
}

/** Start and end of an instance that begins when the clocks of `like` show `wall`. */
function timesOf(wall: number, like: WrittenTime, { days, ms }: Length, places: Places): Span & { allDay: boolean } {
  const zone = zoneOf(like, places);
  const { at: start } = instantOfWall(wall, zone);
  const dayLater = days === 0 ? start : instantOfWall(wall + days * DAY_MS, zone).at;
  return { start, end: dayLater + ms, allDay: like.isDate };
}

/** A time that stands beside those of a series, by the clocks of the series; a date among times means the series' time of day. */
function wallIn(time: WrittenTime, start: WrittenTime, places: Places): number {
  if (start.isDate) return Math.floor(time.wall / DAY_MS) * DAY_MS;
  if (time.isDate) return time.wall + (start.wall - Math.floor(start.wall / DAY_MS) * DAY_MS);
  if (!time.zone) return time.wall;
  return wallOf(instantOfWritten(time, places), zoneOf(start, places));
}

/** The instances that a time names: of a date among times all that begin on it. */
function namesOf(time: WrittenTime, start: WrittenTime, walls: readonly number[], places: Places): number[] {
  if (start.isDate || !time.isDate) return [nameOf({ ...start, wall: wallIn(time, start, places) }, places)];
  return walls
    .filter((wall) => wall >= time.wall && wall < time.wall + DAY_MS)
    .map((wall) => nameOf({ ...start, wall }, places));
}
