import { sleepReal } from '../base/clock.ts';
import type { ProductClock } from '../base/product-clock.ts';

/** Who hears of jobs. */
export interface JobListener {
  /** A job ended, one way or the other. */
  settled(): void;
  /** A job threw: the state in the database is not known any more, only a new epoch helps. */
  failed(error: unknown): void;
}

/** What an executor does outside its transactions: one job per run, a bounded number at once, the rest in order. */
export class UnderWay {
  readonly #max: number;
  readonly #clock: ProductClock;
  readonly #listener: JobListener;
  readonly #jobs = new Map<string, Promise<void>>();
  #running = 0;
  #waiting: (() => void)[] = [];

  /**
   * @param max jobs at once
   * @param clock product time, held while a job is at work
   */
  constructor(max: number, clock: ProductClock, listener: JobListener) {
    this.#max = max;
    this.#clock = clock;
    this.#listener = listener;
  }

  /** Runs whose job is under way. */
  get busy(): string[] {
    return [...this.#jobs.keys()];
  }

  /** How many jobs are under way, at work or waiting for their turn. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Starts the job of a run, at once or when others have ended. */
  start(runId: string, job: () => Promise<void>): void {
    this.#jobs.set(runId, this.#run(runId, job));
  }

  /** Waits until nothing is under way (at most `ms` of real time). */
  async drain(ms: number): Promise<boolean> {
    const done = Promise.all(this.#jobs.values()).then(() => true);
    return Promise.race([done, sleepReal(ms).then(() => false)]);
  }

  async #run(runId: string, job: () => Promise<void>): Promise<void> {
    try {
      await this.#inTurn(job);
    } catch (error) {
      this.#listener.failed(error);
    } finally {
      this.#jobs.delete(runId);
      this.#listener.settled();
    }
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
