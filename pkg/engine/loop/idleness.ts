import { monotonicMs } from '../../base/clock.ts';

/** Real ms without work before the operator is told that the executor is idle. */
const IDLE_AFTER_MS = 1_000;
/** Real ms without work before memory is given back: what works every few seconds needs it again. */
const GIVE_BACK_AFTER_MS = 5_000;

/** What an executor does once it has nothing to do: says so, and gives back the memory that its work took. */
export class Idleness {
  readonly #report: (idle: boolean) => Promise<void>;
  readonly #giveBack: () => void;
  readonly #now: () => number;
  #busyAt: number;
  #reported = false;
  #gaveBack = false;

  /**
   * @param report tells the operator
   * @param giveBack takes tens of ms in which nothing else happens
   * @param now monotonic ms
   */
  constructor(report: (idle: boolean) => Promise<void>, giveBack: () => void, now: () => number = monotonicMs) {
    this.#report = report;
    this.#giveBack = giveBack;
    this.#now = now;
    this.#busyAt = now();
  }

  /** Something is open: what waits for its outcome is not idle. */
  waiting(): void {
    this.#busyAt = this.#now();
    this.#gaveBack = false;
  }

  /** Work was done. */
  async worked(): Promise<void> {
    this.waiting();
    await this.#tell(false);
  }

  /** Nothing is open. `quietMs`: for how long nothing will be due. */
  async rests(quietMs: number): Promise<void> {
    const restedMs = this.#now() - this.#busyAt;
    if (restedMs > IDLE_AFTER_MS) await this.#tell(true);
    if (this.#gaveBack || restedMs <= GIVE_BACK_AFTER_MS || quietMs < IDLE_AFTER_MS) return;
    this.#gaveBack = true;
    this.#giveBack();
  }

  async #tell(idle: boolean): Promise<void> {
    if (idle === this.#reported) return;
    await this.#report(idle);
    this.#reported = idle;
  }
}
