import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items per flush at most. */
const MAX_BATCH = 500;

/** Groups single requests into batches: while one flush runs the next items gather, so latency stays low and load batches. */
export class Batcher<I, O> {
  readonly #flush: (items: readonly I[]) => Promise<readonly O[]>;
  #queue: { item: I; resolve: (value: O) => void; reject: (error: unknown) => void }[] = [];
  #running = false;

  /** @param flush answers in the order of its items; when it throws, all its items fail */
  constructor(flush: (items: readonly I[]) => Promise<readonly O[]>) {
    this.#flush = flush;
  }

  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (this.#queue.length > 0) {
      // One turn of the loop lets requests of the same moment join: what one flush answers asks for the next one together.
      await nextTurn();
      const batch = this.#queue.splice(0, MAX_BATCH);
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
}
