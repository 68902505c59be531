import type { ProductClock } from '../../base/product-clock.ts';
import { hashFloat } from '../../domain/random.ts';

/**
 * Ms of product time by which a batch looks ahead, and by which work on a run begins before it is due. What lies between them is
 * one batch: of a workspace with ten effects per second it is three or four, and most of what a small batch costs is fixed. The
 * lead is what a busy machine may fall behind before anything is late, and time to prepare most before they are committed together.
 */
const AHEAD_MS = 500;
const LEAD_MS = 250;
/** By so much more at most (ms), each workspace by its own share: what several do at one moment, perhaps through one account, they begin apart. */
const SPREAD_MS = 150;
/** Ms of product time by which `dispatched` is committed before the request at least, and at most that much more: so several share a commit. */
const COMMIT_LEAD_MS = 100;
const COMMIT_EVERY_MS = 200;
/** Real ms between looks at the database while nothing is due and no hint comes. */
export const POLL_MS = 1_000;
/** Real ms from one batch to the next when neither is full: less than the lead, so that nothing is late for it. A hint ends it after the least. */
export const GATHER_MS = 80;
export const GATHER_LEAST_MS = 20;
/** Real ms from one commit of settlements to the next: what they wait is little beside the answer that they waited for. */
export const SETTLE_EVERY_MS = 25;
/**
 * The same of harmless actions, which nobody has to look up when this process ends before that: longer than from one commit of
 * dispatches to the next, which takes them along.
 */
export const HARMLESS_EVERY_MS = 250;
/** Real ms from one commit of dispatches to the next while all have this much product time (ms) left: enough for both. */
const DISPATCH_EVERY_MS = 40;
const DISPATCH_TIME_MS = 80;
/** Ms of product time after which what is due is late. */
const LATE_MS = 100;
/** Real ms from one commit to the next of dispatches that are late, and of settlements meanwhile. */
export const LATE_EVERY_MS = 60;
/** Real ms for which what follows a settled effect waits for company. */
export const LINGER_MS = 250;
const MINUTE_MS = 60_000;

/**
 * Claims and commits take a few ms each. On a clock that passes steadily they are done before a run is due, and the request is
 * held until then: what leaves, leaves on time. Never over a full minute: days, hours and weeks begin with one, and are judged
 * when they have come.
 */

/** What part of the spread is a workspace's, 0 to 1: the same in every process. */
export function spreadOf(workspaceId: string): number {
  return hashFloat('look-ahead', workspaceId);
}

/** Until when (epoch ms) runs are due that a batch of a workspace with this part of the spread may take now. */
export function horizon(clock: ProductClock, spread: number): number {
  const now = clock.now();
  return clock.steady
    ? Math.min(now + AHEAD_MS + Math.floor(spread * SPREAD_MS), now - (now % MINUTE_MS) + MINUTE_MS - 1)
    : now;
}

/** When (epoch ms) work begins on what is due at `dueAt`. */
export function beginsAt(clock: ProductClock, dueAt: number, spread: number): number {
  return clock.steady ? Math.max(dueAt - LEAD_MS - Math.floor(spread * SPREAD_MS), dueAt - (dueAt % MINUTE_MS)) : dueAt;
}

/**
 * When (epoch ms) `dispatched` is committed of what is due at `dueAt`: not as early as its claim, since that commit is the last
 * look at replies, suppressions and freezes, and what comes between it and the request is an unknown outcome.
 */
export function commitsAt(clock: ProductClock, dueAt: number, spread: number): number {
  const latest = dueAt - COMMIT_LEAD_MS;
  const apart = Math.floor(spread * COMMIT_EVERY_MS);
  return clock.steady ? latest - ((latest + apart) % COMMIT_EVERY_MS) : dueAt;
}

/** Whether what is due at `dueAt` (epoch ms) is late: small batches cost most, so whoever hurries behind falls further behind. */
export function isLate(clock: ProductClock, dueAt: number): boolean {
  return clock.steady === true && clock.now() - dueAt > LATE_MS;
}

/**
 * Real ms for which the dispatch of what is due at `dueAt` (epoch ms) may wait for others. Who was prepared after the moment of
 * its commit mostly has time left; many of them come one after another, as the provider answers.
 */
export function dispatchPatienceMs(clock: ProductClock, dueAt: number): number {
  if (isLate(clock, dueAt)) return LATE_EVERY_MS;
  return clock.steady && dueAt - clock.now() > DISPATCH_TIME_MS ? DISPATCH_EVERY_MS : 0;
}

/** Waits until `at` (epoch ms), which lies no further ahead than a batch looks; timers may end a moment early. */
export async function untilDue(clock: ProductClock, at: number, signal: AbortSignal): Promise<void> {
  const until = Math.min(at, clock.now() + AHEAD_MS + SPREAD_MS);
  for (let left = until - clock.now(); left > 0; left = until - clock.now()) await clock.sleep(left, signal);
}
