import { SystemClock } from '../../../pkg/base/clock.ts';
import type { ProductClock } from '../../../pkg/base/product-clock.ts';
import { BACKLOG, START } from './settings.ts';

/**
 * Product time that passes as steps are done, so that a constant number of runs is due and all others wait. A run waits from
 * when it was stepped, which is the backlog later than it was due: with each turn of all runs the clock goes that much further.
 */
export class BenchClock extends SystemClock implements ProductClock {
  readonly #spacing: number;
  readonly #runs: number;
  readonly #steps: () => number;
  #open = false;
  #last = START - 1;

  constructor({ spacingMs, runs }: { spacingMs: number; runs: number }, steps: () => number) {
    super();
    this.#spacing = spacingMs;
    this.#runs = runs;
    this.#steps = steps;
  }

  /** Lets work come due; closed, what is due runs out. */
  open(open: boolean): void {
    this.#last = this.now();
    this.#open = open;
  }

  override now(): number {
    const steps = this.#steps();
    const turns = Math.floor((steps + BACKLOG) / this.#runs);
    if (this.#open) this.#last = Math.max(this.#last, START + (steps + BACKLOG * (1 + turns)) * this.#spacing);
    return this.#last;
  }

  hold(): Promise<() => void> {
    return Promise.resolve(() => undefined);
  }

  close(): void {}
}
