import { monotonicMs } from '../../base/clock.ts';

/** Entries kept; the oldest goes, which only makes its look-ups wait longer. */
const MAX_KEPT = 10_000;

/**
 * For how long this process has known that an outcome is unknown, by its monotonic clock: at most the time since the
 * request left. A provider's lag takes real time, and the database's clock may jump; "not there" counts by this one alone.
 */
export class KnownFor {
  readonly #since = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  /** Real ms since the first call with this id. */
  ms(id: string): number {
    const since = this.#since.get(id) ?? this.#note(id);
    return this.#now() - since;
  }

  forget(id: string): void {
    this.#since.delete(id);
  }

  #note(id: string): number {
    const [oldest] = this.#since.keys();
    if (this.#since.size >= MAX_KEPT && oldest !== undefined) this.#since.delete(oldest);
    const now = this.#now();
    this.#since.set(id, now);
    return now;
  }
}
