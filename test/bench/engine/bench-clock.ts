import { SystemClock } from '../../../pkg/base/clock.ts';
import type { ProductClock } from '../../../pkg/base/product-clock.ts';
import { BACKLOG, START } from './settings.ts';

/** Product time that passes as steps are done, so that a constant number of runs is due and all others wait. */
export class BenchClock extends SystemClock implements ProductClock {
  readonly #spacing: number;
  readonly #steps: () => number;
  #open = false;
  #last = START - 1;

  constructor(spacingMs: number, steps: () => number) {
    super();
    this.#spacing = spacingMs;
    this.#steps = steps;
  }

  /** Lets work come due; closed, what is due runs out. */
  open(open: boolean): void {
    this.#last = this.now();
    this.#open = open;
  }

  override now(): number {
    if (this.#open) this.#last = Math.max(this.#last, START + (this.#steps() + BACKLOG) * this.#spacing);
    return this.#last;
  }

  hold(): Promise<() => void> {
    return Promise.resolve(() => undefined);
  }

  close(): void {}
}
