import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items per flush at most. */
const MAX_BATCH = 500;

/** How items that have time wait for company. */
export interface Gathering {
  /** Ms from the beginning of one flush to the next when all its items have time. */
  everyMs: () => number;
  /** Monotonic ms. */
  now: () => number;
  /** Resolves or rejects at once when the signal aborts. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const AT_ONCE: Gathering = { everyMs: () => 0, now: () => 0, sleep: () => Promise.resolve() };

/** Groups single requests into batches: while one flush runs the next items gather, so latency stays low and load batches. */
export class Batcher<I, O> {
  readonly #flush: (items: readonly I[]) => Promise<readonly O[]>;
  readonly #gathering: Gathering;
  #queue: { item: I; resolve: (value: O) => void; reject: (error: unknown) => void }[] = [];
  #running = false;
  /** Whether somebody in the queue has no time. */
  #urgent = false;
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

  /** @param hasTime it may wait for others when a flush has just been: each costs as much as many items */
  add(item: I, { hasTime = false } = {}): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#urgent ||= !hasTime || this.#queue.length >= MAX_BATCH;
      if (this.#urgent) this.#sleeping?.abort(new Error('somebody has no time'));
      void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (this.#queue.length > 0) {
      const ms = this.#gatherMs();
      if (ms > 0) await this.#gather(ms);
      // One turn of the loop lets requests of the same moment join: what one flush answers asks for the next one together.
      await nextTurn();
      const batch = this.#queue.splice(0, MAX_BATCH);
      this.#urgent = this.#queue.length > 0;
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

  /** Ms for which whoever is in the queue may wait for others. */
  #gatherMs(): number {
    if (this.#urgent) return 0;
    return this.#flushedAt + this.#gathering.everyMs() - this.#gathering.now();
  }

  async #gather(ms: number): Promise<void> {
    this.#sleeping = new AbortController();
    await this.#gathering.sleep(ms, this.#sleeping.signal).catch(() => undefined);
    this.#sleeping = undefined;
  }
}
