import type { Tx } from '../postgres/database.ts';

/** What is left to do when nothing is due. */
export interface Rest {
  /** Epoch ms product time of the next due work; null: nothing at all. */
  nextDue: number | null;
  /** Runs that go on because what had stopped them is over. */
  unparked: number;
  /** Sends claimed or dispatched. */
  openSends: number;
  /** Real ms until the next look-up of an unknown send; null: none. */
  nextLookupMs: number | null;
}

/** Lets parked runs go on and leaves the exact wake time for the operator (see app.rest). */
export async function rest(tx: Tx, now: number): Promise<Rest> {
  const row = await tx.row<Rest>(
    `select next_due as "nextDue", unparked, open_sends as "openSends", next_lookup_ms as "nextLookupMs" from app.rest($1)`,
    [now],
  );
  return row ?? { nextDue: null, unparked: 0, openSends: 0, nextLookupMs: null };
}
