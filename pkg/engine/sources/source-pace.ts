import { monotonicMs } from '../../base/clock.ts';

/** A look of so many real ms may be repeated in each round; after a longer one the source rests. */
const QUICK_MS = 500;
/** A source that takes long is looked through a twentieth of the time at most. */
const REST_TIMES = 20;
const LONGEST_REST_MS = 300_000;

/**
 * How often sources are looked through. A list or a pool of a million leads that have been enrolled already is read to its
 * end to find nobody, seconds each time, which no round may do every two seconds. All times are real ms.
 */
export class SourcePace {
  readonly #now: () => number;
  readonly #until = new Map<string, number>();
  /** What the parts of a walk have taken since it rested. */
  readonly #spent = new Map<string, number>();
  #looking: string | undefined;

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  /** Whether the source is not asked now. */
  rests(source: string): boolean {
    const until = this.#until.get(source);
    if (until !== undefined && until <= this.#now()) this.#until.delete(source);
    return this.#until.has(source);
  }

  /** One look at a source; `goesOn`: at a further part of what the looks before went through in vain. */
  async look<T>(source: string, work: () => Promise<T>, goesOn = false): Promise<T> {
    const began = this.#now();
    this.#looking = source;
    const found = await work();
    this.#looking = undefined;
    const spent = this.#now() - began + (goesOn ? (this.#spent.get(source) ?? 0) : 0);
    this.#spent.set(source, spent > QUICK_MS ? 0 : spent);
    if (spent > QUICK_MS) this.#rest(source, spent * REST_TIMES);
    return found;
  }

  /** The source whose look failed, if one did. */
  failed(): string | undefined {
    const source = this.#looking;
    this.#looking = undefined;
    return source;
  }

  /** It took longer than a look may. */
  giveUp(source: string): void {
    this.#rest(source, LONGEST_REST_MS);
  }

  #rest(source: string, ms: number): void {
    this.#until.set(source, this.#now() + Math.min(LONGEST_REST_MS, ms));
  }
}
