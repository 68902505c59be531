import { monotonicMs } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { EngineDeps } from './engine-deps.ts';
import { type FeedPlaces, feedSources } from './feeder.ts';
import type { GraphCache } from './graph-cache.ts';
import { SourcePace } from './source-pace.ts';
import { learnSplits } from './splits.ts';

/** Real ms between rounds. */
const EVERY_MS = 2_000;
/** SQLSTATE of a statement that its timeout ended. */
const TOOK_TOO_LONG = '57014';

/** Lets sources enrol whom they have found and splits learn, in rounds. */
export class SourceRounds {
  readonly #deps: EngineDeps;
  readonly #cache: GraphCache;
  readonly #pace = new SourcePace();
  #places: FeedPlaces = new Map();
  #doneAt = Number.NEGATIVE_INFINITY;

  constructor(deps: EngineDeps, cache: GraphCache) {
    this.#deps = deps;
    this.#cache = cache;
  }

  /** A round, if one is due. */
  async keep(): Promise<void> {
    if (monotonicMs() - this.#doneAt < EVERY_MS) return;
    await this.#round().catch((error: unknown) => this.#gaveUp(error));
    this.#doneAt = monotonicMs();
  }

  async #round(): Promise<void> {
    const { claim, clock, workspaceId, newId } = this.#deps;
    this.#places = await claim.tx(async (tx) => {
      const places = new Map(this.#places);
      const round = { workspaceId, now: clock.now(), cache: this.#cache, newId, places, pace: this.#pace };
      await learnSplits(tx, round);
      await feedSources(tx, round);
      return places;
    });
  }

  /** A source that takes longer than a statement may keeps nobody from enrolling whom the others have found. */
  #gaveUp(error: unknown): void {
    const source = this.#pace.failed();
    if (source === undefined || (error as { code?: string }).code !== TOOK_TOO_LONG) throw error;
    this.#pace.giveUp(source);
    this.#deps.log.warn(
      { source, reason: messageOf(error) },
      'a source took too long to look through; the others go on without it for five minutes',
    );
  }

  /** The next round is due now. */
  hurry(): void {
    this.#doneAt = Number.NEGATIVE_INFINITY;
  }
}
