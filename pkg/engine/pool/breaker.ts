import { monotonicMs } from '../../base/clock.ts';

/** Real ms before a workspace whose engine failed is begun again: from the first to the longest, doubling. */
const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;
/** An engine that worked for so long (real ms) begins anew. */
const HEALTHY_MS = 60_000;

/** The circuit breaker of one workspace: what fails again and again is begun less and less often, and costs the others nothing. */
export class Breaker {
  readonly #now: () => number;
  #failures = 0;
  #beganAt = 0;

  /** @param now monotonic ms */
  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  /** Failures since it last worked for a while. */
  get failures(): number {
    return this.#failures;
  }

  began(): void {
    this.#beganAt = this.#now();
  }

  /** @returns real ms to wait before it is begun again */
  failed(): number {
    if (this.#now() - this.#beganAt >= HEALTHY_MS) this.#failures = 0;
    return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#failures++, 20));
  }
}
