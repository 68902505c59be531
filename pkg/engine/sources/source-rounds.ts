import { monotonicMs } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { GraphCache } from '../walk/graph-cache.ts';
import { learnSplits } from '../walk/splits.ts';
import { type FeedCursors, feedSources } from './feeder.ts';
import { SourcePace } from './source-pace.ts';

/** Real ms between rounds. */
const EVERY_MS = 2_000;
/** SQLSTATE of a statement that its timeout ended. */
const TOOK_TOO_LONG = '57014';
/**
 * Real ms that a statement of a round may take: the server ends it long before this process gives the connection up, which says
 * nothing of why, and nothing else of the workspace goes on meanwhile.
 */
const STATEMENT_MS = 10_000;

/** What the clock of this machine and the server bound; a test sets them so that a busy machine changes nothing. */
export interface RoundBounds {
  /** Longest statement of a round, real ms. */
  statementMs?: number;
  /** Monotonic ms by which looks are timed. */
  now?: () => number;
}

/** Lets sources enrol whom they have found and splits learn, in rounds. */
export class SourceRounds {
  readonly #deps: EngineDeps;
  readonly #cache: GraphCache;
  readonly #pace: SourcePace;
  readonly #statementMs: number;
  #places: FeedCursors = new Map();
  #doneAt = Number.NEGATIVE_INFINITY;

  constructor(deps: EngineDeps, cache: GraphCache, { statementMs = STATEMENT_MS, now }: RoundBounds = {}) {
    this.#deps = deps;
    this.#cache = cache;
    this.#statementMs = statementMs;
    this.#pace = new SourcePace(now);
  }

  /** A round, if one is due. */
  async keep(): Promise<void> {
    if (monotonicMs() - this.#doneAt < Math.max(EVERY_MS, this.#deps.pace?.roundsMs ?? 0)) return;
    await this.#round().catch((error: unknown) => this.#gaveUp(error));
    this.#doneAt = monotonicMs();
  }

  async #round(): Promise<void> {
    const { claim, clock, workspaceId, newId } = this.#deps;
    this.#places = await claim.tx((whole) =>
      whole.limited(this.#statementMs, async (tx) => {
        const places = new Map(this.#places);
        const round = { workspaceId, now: clock.now(), cache: this.#cache, newId, places, pace: this.#pace };
        await learnSplits(tx, round);
        await feedSources(tx, round);
        return places;
      }),
    );
  }

  /** A source or a split that takes longer than a statement may keeps nobody from enrolling whom the others have found. */
  #gaveUp(error: unknown): void {
    const source = this.#pace.failed();
    if (source === undefined || (error as { code?: string }).code !== TOOK_TOO_LONG) throw error;
    this.#pace.giveUp(source);
    this.#deps.log.warn(
      { source, reason: messageOf(error) },
      'a source took too long to look through, or a split to count; the others go on without it for five minutes',
    );
  }

  /** The next round is due now. */
  hurry(): void {
    this.#doneAt = Number.NEGATIVE_INFINITY;
  }
}
