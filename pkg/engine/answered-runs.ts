import type { AnsweredRun } from '../store/runs.ts';

/**
 * Runs whose send this process has just settled. It goes on with them by itself in its next batch, so that no write has to make
 * them due; when it ends before that, whoever comes next finds them (`app.recover_sends`), or they come due a minute after their claim.
 */
export class AnsweredRuns {
  readonly #sendOf = new Map<string, string>();
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
    return this.#sendOf.size;
  }

  /** At most as many as effects may be under way. */
  add(runId: string, sendId: string): void {
    this.#sendOf.set(runId, sendId);
  }

  /** Takes up to `max` of them, in their order. */
  take(max: number): AnsweredRun[] {
    const taken: AnsweredRun[] = [];
    for (const [runId, sendId] of this.#sendOf) {
      if (taken.length >= max) break;
      taken.push({ runId, sendId });
      this.#sendOf.delete(runId);
    }
    return taken;
  }
}
