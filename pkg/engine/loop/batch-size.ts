/** Due runs per batch: grows while batches are full and quick, shrinks when they are slow. */
const FIRST = 50;
const LEAST = 1;
const MOST = 1_000;
/** Real ms within which a batch is quick, and after which it is slow. */
const QUICK_MS = 500;
const SLOW_MS = 1_000;

/** How many due runs the next batch may take. */
export class BatchSize {
  #runs = FIRST;

  get runs(): number {
    return this.#runs;
  }

  /** Learns from a batch of `runs` that took `tookMs` of real time. */
  learn(runs: number, tookMs: number): void {
    if (runs >= this.#runs && tookMs < QUICK_MS) this.#runs = Math.min(MOST, this.#runs * 2);
    else if (tookMs > SLOW_MS) this.#runs = Math.max(LEAST, Math.floor(this.#runs / 2));
  }
}
