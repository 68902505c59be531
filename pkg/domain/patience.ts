import { seededJitter } from './random.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Wait after the first failure; doubled after each further one. */
const FIRST_MS = 5 * MINUTE_MS;
const LONGEST_MS = 4 * HOUR_MS;
/** Longest wait where the outside named a longer one than ours. */
const LONGEST_ASKED_MS = 24 * HOUR_MS;
/** Failures before an action may be given up, however long they took. */
const MIN_FAILURES = 5;
/** An action is not given up before: the network's weekly limit has passed by then, and RFC 5321 4.5.4.1 asks for 4 to 5 days. */
export const PATIENCE_MS = 8 * 24 * HOUR_MS;

/**
 * Wait in ms before an action is tried again that was proven not to have happened, for a reason that may pass.
 * @param failures failures before this one
 * @param askedMs what the provider asked for, or the rest of the account; repeated failures double it too, so that one
 *   person whom the network refuses does not rest an account over and over
 * @param seed spreads those who failed together, by up to a quarter
 */
export function retryWaitMs(failures: number, seed: string, askedMs = 0): number {
  const growth = 2 ** Math.min(failures, 20);
  const own = Math.min(FIRST_MS * growth, LONGEST_MS);
  const asked = Math.min(askedMs * growth, Math.max(askedMs, LONGEST_ASKED_MS));
  return Math.max(own, asked) + seededJitter(own / 4, seed, failures);
}

/**
 * True when such an action is given up. An outage, a login that ran out or a limit says nothing about the person: it
 * costs nobody their place before it has lasted over `PATIENCE_MS`.
 * @param failures with the last one
 * @param since epoch ms of the first
 */
export const outOfPatience = (failures: number, since: number, now: number): boolean =>
  failures >= MIN_FAILURES && now - since >= PATIENCE_MS;
