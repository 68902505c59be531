import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items per flush at most. */
const MAX_BATCH = 500;

/** By what it is known how long items have waited for company. */
export interface Gathering {
  /** Monotonic ms. */
  now: () => number;
  /** Resolves or rejects at once when the signal aborts. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const AT_ONCE: Gathering = { now: () => 0, sleep: () => Promise.resolve() };

/** Groups single requests into batches: while one flush runs the next items gather, so latency stays low and load batches. */
export class Batcher<I, O> {
  readonly #flush: (items: readonly I[]) => Promise<readonly O[]>;
  readonly #gathering: Gathering;
  #queue: { item: I; resolve: (value: O) => void; reject: (error: unknown) => void }[] = [];
  #running = false;
  /** Ms from the last flush to the next that the one who has least time in the queue allows. */
  #patienceMs = Number.POSITIVE_INFINITY;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #sleeping: AbortController | undefined;

  /**
   * @param flush answers in the order of its items; when it throws, all its items fail
   * @param gathering absent: nothing waits
   */
  constructor(flush: (items: readonly I[]) => Promise<readonly O[]>, gathering = AT_ONCE) {
    this.#flush = flush;
    this.#gathering = gathering;
  }

  /**
   * @param everyMs ms from the beginning of the last flush for which it may wait for others: each flush costs as much as many
   * items. Anyone who has less time takes it along
   */
  add(item: I, everyMs = 0): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      const patienceMs = this.#queue.length >= MAX_BATCH ? 0 : everyMs;
      if (patienceMs < this.#patienceMs) {
        this.#patienceMs = patienceMs;
        this.#sleeping?.abort(new Error('somebody has less time'));
      }
      void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (this.#queue.length > 0) {
      // Again when it was cut short: it may still have time, only less.
      for (let cut = true; cut && this.#gatherMs() > 0; ) cut = await this.#gather(this.#gatherMs());
      // One turn of the loop lets requests of the same moment join: what one flush answers asks for the next one together.
      await nextTurn();
      const batch = this.#queue.splice(0, MAX_BATCH);
      this.#patienceMs = this.#queue.length > 0 ? 0 : Number.POSITIVE_INFINITY;
      this.#flushedAt = this.#gathering.now();
      try {
        const answers = await this.#flush(batch.map((entry) => entry.item));
        batch.forEach((entry, index) => {
          const answer = answers[index];
          if (answer === undefined) entry.reject(new Error('no answer'));
          else entry.resolve(answer);
        });
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    this.#running = false;
  }

  /** Ms for which all in the queue may wait for others. */
  #gatherMs(): number {
    return this.#flushedAt + this.#patienceMs - this.#gathering.now();
  }

  /** @returns whether somebody with less time cut it short */
  async #gather(ms: number): Promise<boolean> {
    const sleeping = new AbortController();
    this.#sleeping = sleeping;
    await this.#gathering.sleep(ms, sleeping.signal).catch(() => undefined);
    this.#sleeping = undefined;
    return sleeping.signal.aborted;
  }
}
