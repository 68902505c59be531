import { RRuleTemporal } from 'rrule-temporal';
import type { Rule } from './series.ts';
import type { Span } from './span.ts';
import { instantOfWall, utcStamp } from './wall-time.ts';
import { instantOfWritten, type Places, type WrittenTime, zoneOf } from './written-time.ts';

/**
 * Instances that a series may have in what is looked at, and steps to come to them. They are counted instead of timed, so that a calendar
 * is readable on every machine or on none; 10,000 steps take about 50 ms.
 */
const MOST_INSTANCES = 400;
const MOST_STEPS = 10_000;
const DAY_MS = 86_400_000;

/** A series has more instances than are looked at. */
export class EndlessSeries extends Error {
  override readonly name = 'EndlessSeries';
}

/**
 * The starts that a rule gives (what the clocks show, read as if it were UTC) within `walls`, in order. It is expanded by the clocks, and
 * each time is then looked up in our own table of zones: one that the clocks skip is no instance and is not counted (RFC 5545, 3.3.10).
 * @throws EndlessSeries; Error for a rule that is none
 */
export function expandRule(rule: Rule, start: WrittenTime, walls: Span, places: Places): number[] {
  const zone = zoneOf(start, places);
  const last = rule.until ? untilOf(rule.until, start, places) : null;
  const happens = (wall: number): boolean => {
    const { at, exists } = instantOfWall(wall, zone);
    return (exists || start.isDate) && (last === null || last(wall, at));
  };
  const series = new RRuleTemporal({
    rruleString: `DTSTART:${utcStamp(start.wall)}\nRRULE:${rule.text}`,
    maxIterations: MOST_STEPS,
    maxCandidateEvaluations: 10 * MOST_STEPS,
    cache: false,
  });
  try {
    return rule.count === null ? between(series, walls, happens) : counted(series, rule.count, start, walls, happens);
  } catch (error) {
    if (error instanceof Error && /exceeded|limit/i.test(error.message)) throw new EndlessSeries(error.message);
    throw error;
  }
}

function between(series: RRuleTemporal, walls: Span, happens: (wall: number) => boolean): number[] {
  const found = series.between(new Date(walls.start), new Date(walls.end), true).map((time) => time.epochMilliseconds);
  if (found.length > MOST_INSTANCES) throw new EndlessSeries(`more than ${MOST_INSTANCES} instances`);
  return found.filter((wall) => wall >= walls.start && wall < walls.end && happens(wall));
}

/** A rule that ends after a number of instances has to be counted from its beginning. */
function counted(
  series: RRuleTemporal,
  count: number,
  start: WrittenTime,
  walls: Span,
  happens: (wall: number) => boolean,
): number[] {
  const found: number[] = [];
  let left = count;
  let steps = 0;
  const see = (wall: number): boolean => {
    if (++steps > MOST_STEPS) throw new EndlessSeries(`more than ${MOST_STEPS} steps`);
    if (wall >= walls.end) return false;
    // The first time is an instance even where the clocks skip it: it was written and not computed.
    if (wall !== start.wall && !happens(wall)) return true;
    left--;
    if (wall >= walls.start) found.push(wall);
    if (found.length > MOST_INSTANCES) throw new EndlessSeries(`more than ${MOST_INSTANCES} instances`);
    return left > 0;
  };
  series.all((time) => see(time.epochMilliseconds));
  return found;
}

/**
 * Whether a time is not later than the last one of a rule. A date includes its day. Where days are counted and an instant is named, it is
 * the day that UTC or the calendar's zone shows, whichever is later: programs write either.
 */
function untilOf(until: WrittenTime, start: WrittenTime, places: Places): (wall: number, at: number) => boolean {
  if (start.isDate) {
    const at = instantOfWritten(until, places);
    const last = until.isDate ? until.wall : Math.max(until.wall, at + places.days.offsetAt(at));
    return (wall) => wall <= last;
  }
  if (until.isDate) return (wall) => wall < until.wall + DAY_MS;
  const last = until.zone ? instantOfWritten(until, places) : instantOfWall(until.wall, zoneOf(start, places)).at;
  return (_wall, at) => at <= last;
}
