import { monotonicMs } from '../base/clock.ts';
import type { EngineDeps } from './engine-deps.ts';
import { type FeedPlaces, feedSources } from './feeder.ts';
import type { GraphCache } from './graph-cache.ts';
import { learnSplits } from './splits.ts';

/** Real ms between rounds. */
const EVERY_MS = 2_000;

/** Lets sources enrol whom they have found and splits learn, in rounds. */
export class SourceRounds {
  readonly #deps: EngineDeps;
  readonly #cache: GraphCache;
  #places: FeedPlaces = new Map();
  #doneAt = Number.NEGATIVE_INFINITY;

  constructor(deps: EngineDeps, cache: GraphCache) {
    this.#deps = deps;
    this.#cache = cache;
  }

  /** A round, if one is due. */
  async keep(): Promise<void> {
    if (monotonicMs() - this.#doneAt < EVERY_MS) return;
    const { claim, clock, workspaceId, newId } = this.#deps;
    this.#places = await claim.tx(async (tx) => {
      const places = new Map(this.#places);
      const round = { workspaceId, now: clock.now(), cache: this.#cache, newId, places };
      await learnSplits(tx, round);
      await feedSources(tx, round);
      return places;
    });
    this.#doneAt = monotonicMs();
  }

  /** The next round is due now. */
  hurry(): void {
    this.#doneAt = Number.NEGATIVE_INFINITY;
  }
}
