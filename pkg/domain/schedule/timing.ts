import { Cron } from './cron.ts';

/** When a schedule comes; all times epoch ms, product time. */
export type Timing =
  | { kind: 'cron'; cron: string; timezone: string }
  /** At `from` and every `everyMs` after it, whatever the clocks show. */
  | { kind: 'cadence'; everyMs: number; from: number }
  | { kind: 'instant'; at: number };

/** Longest delay by which starts are spread. */
const SPREAD_MS = 5 * 60_000;

/** The first time after `after`; null: it never comes again. */
export function nextTime(timing: Timing, after: number): number | null {
  if (timing.kind === 'instant') return timing.at > after ? timing.at : null;
  if (timing.kind === 'cron') return new Cron(timing.cron, timing.timezone).next(after);
  const passed = Math.floor((after - timing.from) / timing.everyMs);
  return timing.from + Math.max(0, passed + 1) * timing.everyMs;
}

/** The last time that is not after `now`, from `first` on, which is such a time: what is made up of all that was missed. */
export function lastTime(timing: Timing, first: number, now: number): number {
  if (timing.kind === 'instant') return first;
  if (timing.kind === 'cadence') {
    const passed = Math.floor((now - timing.from) / timing.everyMs);
    return Math.max(first, timing.from + passed * timing.everyMs);
  }
  return lastOfCron(new Cron(timing.cron, timing.timezone), first, now);
}

/** Halves the time in which the last one is: a year of quarters of an hour is not walked through. */
function lastOfCron(cron: Cron, first: number, now: number): number {
  let last = first;
  let [low, high] = [first, now];
  while (high - low > 60_000) {
    const middle = low + Math.floor((high - low) / 2);
    const next = cron.next(middle);
    if (next !== null && next <= now) {
      last = next;
      low = next;
    } else high = middle;
  }
  return last;
}

/**
 * By how many ms a schedule starts later than it says, always the same of one schedule: thousands that say 8:00 do not come at
 * once. An instant is kept to the minute.
 * @param id of the schedule, a UUID
 */
export function spreadOf(timing: Timing, id: string): number {
  if (timing.kind === 'instant') return 0;
  const most = timing.kind === 'cadence' ? Math.min(SPREAD_MS, Math.floor(timing.everyMs / 3)) : SPREAD_MS;
  // FNV-1a: the ids of one moment differ in their last digits only.
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193) >>> 0;
  return hash % Math.max(1, most);
}
