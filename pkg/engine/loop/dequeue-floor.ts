import type { DequeueLane } from '../../store/runs/dequeue-lane.ts';
import type { RunRow } from '../../store/runs/runs.ts';

/** So many claims in a row begin where the one before came to; the next one begins at the beginning. */
const IN_A_ROW = 7;

/**
 * Where the claims of a backlog begin to look: where the last one of their lane came to. What lies before is taken by a claim that
 * is not committed yet, or dead until vacuum comes by. What comes up there all the same (a claim was undone, a tool makes a run due
 * as of earlier) waits for the next claim that begins at the beginning, or that finds too little (`app.claim_due`).
 */
export class DequeueFloor {
  readonly #lanes = new Map<DequeueLane | null, { dueAt: number; inARow: number }>();

  /** Due time (epoch ms product time) from which the lane's next claim looks; null: from the beginning. */
  next(lane: DequeueLane | null): number | null {
    const reached = this.#lanes.get(lane);
    if (!reached) return null;
    const again = reached.inARow < IN_A_ROW;
    reached.inARow = again ? reached.inARow + 1 : 0;
    return again ? reached.dueAt : null;
  }

  /** @param runs what a claim of the lane took, the longest due first; fewer than `limit`: it has looked everywhere */
  found(lane: DequeueLane | null, runs: readonly Pick<RunRow, 'dueAt'>[], limit: number): void {
    const last = runs.at(-1)?.dueAt;
    if (runs.length < limit || typeof last !== 'number') this.#lanes.delete(lane);
    else this.#lanes.set(lane, { dueAt: last, inARow: this.#lanes.get(lane)?.inARow ?? 0 });
  }
}
