import { ALONE, type Pace } from '../pace.ts';

/** Due runs per batch: grows while batches are full and quick, shrinks when they are slow. */
const FIRST = 50;
const LEAST = 1;
const MOST = 1_000;
/** How many due runs the next batch may take. */
export class BatchSize {
  readonly #pace: Pick<Pace, 'quickMs' | 'slowMs'>;
  #runs = FIRST;

  constructor(pace: Pick<Pace, 'quickMs' | 'slowMs'> = ALONE) {
    this.#pace = pace;
  }

  get runs(): number {
    return this.#runs;
  }

  /** Learns from a batch of `runs` that took `tookMs` of real time. */
  learn(runs: number, tookMs: number): void {
    if (runs >= this.#runs && tookMs < this.#pace.quickMs) this.#runs = Math.min(MOST, this.#runs * 2);
    else if (tookMs > this.#pace.slowMs) this.#runs = Math.max(LEAST, Math.floor(this.#runs / 2));
  }
}
