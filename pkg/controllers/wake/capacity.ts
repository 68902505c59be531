import type { Clock } from '../../base/clock.ts';

/** A pod that was asked for and never seen is taken for lost (real ms). */
const LOST_MS = 30_000;

export interface CapacityOptions {
  /** Real time. */
  clock: Clock;
  /** Executors of workspaces at a time; 0: no bound. */
  max: number;
  /** Names of their pods, as the cache has them. */
  pods: () => Iterable<string>;
}

/** Places for the executors of workspaces. A start takes one before its pod shows in the cache. */
export class Capacity {
  readonly #options: CapacityOptions;
  readonly #taken = new Map<string, number>();

  constructor(options: CapacityOptions) {
    this.#options = options;
  }

  /** How many executors may still start; Infinity without a bound. */
  get free(): number {
    const { max, pods, clock } = this.#options;
    if (max === 0) return Number.POSITIVE_INFINITY;
    const there = new Set(pods());
    for (const [name, since] of this.#taken) {
      if (there.has(name) || clock.now() - since > LOST_MS) this.#taken.delete(name);
    }
    return max - there.size - this.#taken.size;
  }

  /** Takes a place for the pod of this name. @returns whether there was one */
  take(name: string): boolean {
    if (this.free <= 0) return false;
    if (this.#options.max > 0) this.#taken.set(name, this.#options.clock.now());
    return true;
  }

  /** The pod was not made. */
  release(name: string): void {
    this.#taken.delete(name);
  }
}
