import type { Clock } from '../base/clock.ts';

/**
 * Jittered exponential back-off that forgets its failures after a quiet time (client-go's reflector: 800 ms, factor 2,
 * jitter, at most 30 s, reset after 2 min). Jitter keeps a hundred informers from relisting in the same instant.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #baseMs: number;
  readonly #capMs: number;
  readonly #resetMs: number;
  #failures = 0;
  #last = 0;

  constructor(clock: Clock, random: () => number, limits = { baseMs: 800, capMs: 30_000, resetMs: 120_000 }) {
    this.#clock = clock;
    this.#random = random;
    this.#baseMs = limits.baseMs;
    this.#capMs = limits.capMs;
    this.#resetMs = limits.resetMs;
  }

  /** How long to wait before the next try, in ms. */
  next(): number {
    const now = this.#clock.now();
    if (now - this.#last > this.#resetMs) this.#failures = 0;
    const base = Math.min(this.#capMs, this.#baseMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    const wait = Math.min(this.#capMs, base * (1 + this.#random()));
    this.#last = now + wait;
    return wait;
  }
}
