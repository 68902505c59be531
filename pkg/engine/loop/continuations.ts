import type { ClaimRequest, SendResult } from '../../store/ledger/ledger.ts';
import { type DequeueLane, dequeueLaneOf } from '../../store/runs/dequeue-lane.ts';
import type { Continuation } from '../../store/runs/runs.ts';

/** A plain confirmation of a send, and what was claimed. */
export interface Confirmation {
  result: SendResult;
  claim: ClaimRequest;
}

/** A run that a batch goes on with. */
export interface TakenRun extends Continuation {
  /** What the batch commits with what comes after it; absent: its send is settled. */
  confirm?: Confirmation;
}

interface Waiting {
  taken: TakenRun;
  lane: DequeueLane;
  /** Hears whether a batch has committed its confirmation. */
  heard?: (confirmed: boolean) => void;
}

/**
 * Runs whose send was just answered. This process goes on with them by itself in its next batch, so that no write has to make
 * them due; when it ends before that, the next executor finds them (`app.recover_sends`), or they come due a minute after their claim.
 * While batches follow each other, a plain confirmation waits for the next one instead of taking a commit of its own.
 */
export class Continuations {
  readonly #waiting = new Map<string, Waiting>();
  readonly #stop: AbortSignal;
  readonly #answered: () => void;
  readonly #gathering = new Set<DequeueLane>();
  #confirming = 0;

  /**
   * @param stop aborted: no batch comes any more
   * @param answered called when one more confirmation waits for a batch
   */
  constructor(stop: AbortSignal, answered: () => void) {
    this.#stop = stop;
    this.#answered = answered;
    stop.addEventListener('abort', () => this.release(), { once: true });
  }

  /** False: the settlement itself has to make its run due. */
  get open(): boolean {
    return !this.#stop.aborted;
  }

  /** Whether batches follow each other, in a lane at least. */
  get gathering(): boolean {
    return this.#gathering.size > 0;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** How many confirmations wait for a batch: their effects are done but not settled. */
  get confirming(): number {
    return this.#confirming;
  }

  /** At most as many as effects may be under way. */
  add(answered: Continuation, accountId: string): void {
    this.#waiting.set(answered.runId, { taken: answered, lane: dequeueLaneOf(accountId) });
  }

  /**
   * Leaves a plain confirmation to the next batch while such batches follow each other. True when it is committed and its run
   * has gone on; false: it is to be settled as any other.
   */
  confirm(answered: Continuation, accountId: string, confirm: Confirmation): Promise<boolean> {
    const lane = dequeueLaneOf(accountId);
    if (!this.open || !this.#gathering.has(lane)) return Promise.resolve(false);
    return new Promise((heard) => {
      this.#confirming++;
      this.#waiting.set(answered.runId, { taken: { ...answered, confirm }, lane, heard });
      this.#answered();
    });
  }

  /** From now on batches of both lanes follow each other. */
  gather(): void {
    if (this.open) for (const lane of [0, 1] as const) this.#gathering.add(lane);
  }

  /** No batch of this lane (or of any) is about to come: what waits for it is settled by itself. */
  release(of: DequeueLane | null = null): void {
    for (const [runId, { lane, heard }] of this.#waiting) {
      if (!heard || (of !== null && lane !== of)) continue;
      this.#waiting.delete(runId);
      this.#hear(heard, false);
    }
    if (of === null) this.#gathering.clear();
    else this.#gathering.delete(of);
  }

  /**
   * Lets a batch go on with up to `max` of them, in their order; those of one lane's accounts if it says so. `work` resolves with
   * the runs whose confirmations it committed.
   */
  async take<T extends { confirmed: ReadonlySet<string> }>(
    max: number,
    of: DequeueLane | null,
    work: (taken: TakenRun[]) => Promise<T>,
  ): Promise<T> {
    const mine = this.#takeOut(max, of);
    let confirmed: ReadonlySet<string> = new Set();
    try {
      const result = await work(mine.map((one) => one.taken));
      confirmed = result.confirmed;
      return result;
    } finally {
      for (const { taken, heard } of mine) if (heard) this.#hear(heard, confirmed.has(taken.runId));
    }
  }

  #takeOut(max: number, of: DequeueLane | null): Waiting[] {
    const mine: Waiting[] = [];
    for (const one of this.#waiting.values()) {
      if (mine.length >= max) break;
      if (of !== null && one.lane !== of) continue;
      mine.push(one);
      this.#waiting.delete(one.taken.runId);
    }
    return mine;
  }

  #hear(heard: (confirmed: boolean) => void, confirmed: boolean): void {
    this.#confirming--;
    heard(confirmed);
  }
}
