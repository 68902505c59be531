import { isNamedTimezone } from '../local-time.ts';
import { Cron } from './cron.ts';

/** No schedule comes more often. */
export const CLOSEST_MS = 15 * 60_000;
/** A schedule that stays away for longer is a mistake. */
const FARTHEST_MS = 5 * 366 * 86_400_000;
/** Times in a row that are compared: at one every 15 minutes five days, at four a day four months. */
const COMPARED = 500;

/** What is wrong with a schedule, in words for people, and the next times that it would have (epoch ms, three at most). */
export interface CronRefusal {
  reason: string;
  next: number[];
}

/**
 * Whether work may be scheduled by it: five fields in a zone, not more often than every 15 minutes, and at least once in five years.
 * @param now epoch ms
 */
export function checkCron(text: string, timezone: string, now: number): Cron | CronRefusal {
  const fields = text.trim().split(/\s+/).length;
  if (fields === 6 || fields === 7)
    return refused('seconds are not taken: give five fields (minute, hour, day of month, month, weekday)');
  if (fields !== 5)
    return refused(`it has ${fields} field${fields === 1 ? '' : 's'} instead of five, such as "0 8 * * 1"`);
  if (!isNamedTimezone(timezone))
    return refused(`the timezone "${timezone}" is unknown: give an IANA name such as Europe/Berlin`);
  let cron: Cron;
  try {
    cron = new Cron(text, timezone);
  } catch (error) {
    return refused(`it can not be read (${error instanceof Error ? error.message : String(error)})`);
  }
  const next = nextTimes(cron, now, 3);
  const [first] = next;
  if (first === undefined || first - now > FARTHEST_MS) return { reason: 'it has no run within five years', next };
  if (comesTooOften(cron, now)) return { reason: 'it comes more often than every 15 minutes', next };
  return cron;
}

/** The next `count` times after `now`. */
export function nextTimes(cron: Cron, now: number, count: number): number[] {
  const times: number[] = [];
  let at = cron.next(now);
  while (at !== null && times.length < count) {
    times.push(at);
    at = cron.next(at);
  }
  return times;
}

function refused(reason: string): CronRefusal {
  return { reason, next: [] };
}

/** By the wall clock: what a gap moves together once a year is no mistake. */
function comesTooOften(cron: Cron, now: number): boolean {
  let last = cron.nextShown(now);
  for (let compared = 0; last !== null && compared < COMPARED; compared++) {
    const next = cron.nextShown(last);
    if (next !== null && next - last < CLOSEST_MS) return true;
    if (next !== null && next - now > FARTHEST_MS) return false;
    last = next;
  }
  return false;
}
