import { sleepReal } from '../../base/clock.ts';
import type { ProductClock } from '../../base/product-clock.ts';

/** A job of a run; see {@link UnderWay.start}. */
export type Job = (leave: () => void) => Promise<void>;

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
  #atOnce = 0;
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

  /** How many jobs may be started `atOnce` now. */
  get free(): number {
    return Math.max(0, this.#max - this.#atOnce);
  }

  /**
   * Starts the job of a run when there is a place, not before `after`; `atOnce` it has one of its own, of which there are as many
   * (see {@link free}). A job calls `leave` when what is left of it is work of the database alone; else it leaves at its end.
   */
  start(runId: string, job: Job, { atOnce = false, after }: { atOnce?: boolean; after?: Promise<void> } = {}): void {
    const running: Promise<void> = this.#run(job, atOnce, after).finally(() => {
      // What its run does next may be under way before it has ended.
      if (this.#jobs.get(runId) === running) this.#jobs.delete(runId);
      this.#listener.settled();
    });
    this.#jobs.set(runId, running);
  }

  /** Waits until nothing is under way (at most `ms` of real time). */
  async drain(ms: number): Promise<boolean> {
    const done = Promise.all(this.#jobs.values()).then(() => true);
    return Promise.race([done, sleepReal(ms).then(() => false)]);
  }

  async #run(job: Job, atOnce: boolean, after?: Promise<void>): Promise<void> {
    try {
      await this.#inTurn(job, atOnce, after);
    } catch (error) {
      this.#listener.failed(error);
    }
  }

  async #inTurn(job: Job, atOnce: boolean, after?: Promise<void>): Promise<void> {
    const leave = atOnce ? this.#enterAtOnce() : await this.#enter();
    const release = await this.#clock.hold();
    try {
      if (after) await after;
      await job(leave);
    } finally {
      release();
      leave();
    }
  }

  #enterAtOnce(): () => void {
    this.#atOnce++;
    return once(() => this.#atOnce--);
  }

  async #enter(): Promise<() => void> {
    if (this.#running >= this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    return once(() => {
      this.#running--;
      this.#waiting.shift()?.();
    });
  }
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
