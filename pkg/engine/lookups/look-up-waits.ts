const HOUR_MS = 3_600_000;

/** Longest wait (ms) that a failed look-up gives itself while nobody was told. */
export const LONGEST_WAIT_MS = HOUR_MS;
/** Look-ups that fail this often in a row make the send a dead letter: a person is told. */
export const TELL_AFTER = 12;
/** From then on it is looked up this often (ms), for as long as a failed action is tried: an account that is connected again tells the rest. */
const TOLD_WAIT_MS = 6 * HOUR_MS;
const TOLD_FOR_MS = 8 * 24 * HOUR_MS;
/** The last look-up that fails; then it is a person's decision alone. */
export const END_AFTER = TELL_AFTER + TOLD_FOR_MS / TOLD_WAIT_MS;

/** Wait (ms) after a look-up that failed when so many before it had failed in a row. */
export function waitAfter(settleAfterMs: number, failed: number): number {
  if (failed + 1 >= TELL_AFTER) return TOLD_WAIT_MS;
  return Math.min(LONGEST_WAIT_MS, settleAfterMs * 2 ** failed);
}
