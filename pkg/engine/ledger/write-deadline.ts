/** A request must be handed to the socket this soon after the commit of `dispatched` (design, section 7). */
const WRITE_DEADLINE_MS = 5_000;

/**
 * Real ms for the write of a request: what is written must have left its trace before a look-up may say "not there".
 * @param settleAfterMs of the provider; absent: nobody ever looks whether the request arrived
 */
export function writeWithin(settleAfterMs: number | undefined): number {
  return settleAfterMs === undefined ? WRITE_DEADLINE_MS : Math.min(WRITE_DEADLINE_MS, settleAfterMs / 2);
}
