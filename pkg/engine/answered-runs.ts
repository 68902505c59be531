import { type ClaimLane, claimLaneOf } from '../store/claim-lane.ts';
import type { AnsweredRun } from '../store/runs.ts';

/**
 * Runs whose send this process has just settled. It goes on with them by itself in its next batch, so that no write has to make
 * them due; when it ends before that, whoever comes next finds them (`app.recover_sends`), or they come due a minute after their claim.
 */
export class AnsweredRuns {
  readonly #waiting = new Map<string, AnsweredRun & { lane: ClaimLane }>();
  readonly #stop: AbortSignal;

  /** @param stop aborted: no batch comes any more */
  constructor(stop: AbortSignal) {
    this.#stop = stop;
  }

  /** False: the settlement itself has to make its run due. */
  get open(): boolean {
    return !this.#stop.aborted;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** At most as many as effects may be under way. */
  add(answered: AnsweredRun, accountId: string): void {
    this.#waiting.set(answered.runId, { ...answered, lane: claimLaneOf(accountId) });
  }

  /** Takes up to `max` of them, in their order; those of one lane's accounts if it says so. */
  take(max: number, of: ClaimLane | null = null): AnsweredRun[] {
    const taken: AnsweredRun[] = [];
    for (const { lane, ...one } of this.#waiting.values()) {
      if (taken.length >= max) break;
      if (of !== null && lane !== of) continue;
      taken.push(one);
      this.#waiting.delete(one.runId);
    }
    return taken;
  }
}
