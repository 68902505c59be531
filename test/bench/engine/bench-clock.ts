import { SystemClock } from '../../../pkg/base/clock.ts';
import type { ProductClock } from '../../../pkg/base/product-clock.ts';
import { BACKLOG, duePerStep, type Shape, START } from './settings.ts';

/**
 * Product time that passes as steps are done, so that a constant number of runs is due and all others wait. A run waits from
 * when it was stepped, which is the backlog later than it was due: with each turn of all runs the clock goes that much further.
 */
export class BenchClock extends SystemClock implements ProductClock {
  readonly #spacing: number;
  readonly #runs: number;
  readonly #duePerStep: number;
  readonly #steps: () => number;
  #open = false;
  #last = START - 1;

  constructor({ spacingMs, runs, shape }: { spacingMs: number; runs: number; shape: Shape }, steps: () => number) {
    super();
    this.#duePerStep = duePerStep(shape);
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
    const done = Math.floor(this.#steps() * this.#duePerStep);
    const turns = Math.floor((done + BACKLOG) / this.#runs);
    if (this.#open) this.#last = Math.max(this.#last, START + (done + BACKLOG * (1 + turns)) * this.#spacing);
    return this.#last;
  }

  hold(): Promise<() => void> {
    return Promise.resolve(() => undefined);
  }

  close(): void {}
}
