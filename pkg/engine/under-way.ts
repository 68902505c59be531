import { sleepReal } from '../base/clock.ts';
import type { ProductClock } from '../base/product-clock.ts';

/** What an executor does outside its transactions: one job per run, a bounded number at once, the rest in order. */
export class UnderWay {
  readonly #max: number;
  readonly #clock: ProductClock;
  readonly #onFatal: (error: unknown) => void;
  readonly #jobs = new Map<string, Promise<void>>();
  #running = 0;
  #waiting: (() => void)[] = [];
  #settledSignal = Promise.withResolvers<void>();

  /**
   * @param max jobs at once
   * @param clock product time, held while a job is at work
   * @param onFatal called when a job throws: the state in the database is not known any more, only a new epoch helps
   */
  constructor(max: number, clock: ProductClock, onFatal: (error: unknown) => void) {
    this.#max = max;
    this.#clock = clock;
    this.#onFatal = onFatal;
  }

  /** Runs whose job is under way. */
  get busy(): string[] {
    return [...this.#jobs.keys()];
  }

  /** How many jobs are under way, at work or waiting for their turn. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Resolves when the next job ends. */
  get nextSettled(): Promise<void> {
    return this.#settledSignal.promise;
  }

  /** Starts the job of a run, at once or when others have ended. */
  start(runId: string, job: () => Promise<void>): void {
    const done = this.#inTurn(job)
      .catch((error: unknown) => this.#onFatal(error))
      .finally(() => {
        this.#jobs.delete(runId);
        this.#settledSignal.resolve();
        this.#settledSignal = Promise.withResolvers<void>();
      });
    this.#jobs.set(runId, done);
  }

  /** Waits until nothing is under way (at most `ms` of real time). */
  async drain(ms: number): Promise<boolean> {
    const done = Promise.all(this.#jobs.values()).then(() => true);
    return Promise.race([done, sleepReal(ms).then(() => false)]);
  }

  async #inTurn(job: () => Promise<void>): Promise<void> {
    if (this.#running >= this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    const release = await this.#clock.hold();
    try {
      await job();
    } finally {
      release();
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}
