/** What one workspace may take of its process. */
export interface Pace {
  /** Real ms between looks at the database while nothing is due and nobody wakes it. */
  pollMs: number;
  /** Real ms between looks of the rounds for schedules, actions, calendars and sources, where those are longer than their own. */
  roundsMs: number;
  /** Effects and calls under way at most (two lanes that meet effects at once: a batch more). */
  mostUnderWay: number;
  /** Effects at work at once; the rest waits in order. */
  mostEffects: number;
  /** Real ms within which a batch is quick, and the next may be larger. */
  quickMs: number;
  /** Real ms after which a batch is slow, and the next is smaller. */
  slowMs: number;
}

/** Of a process that serves nobody else: what is claimed beyond what can be done soon holds units, keys and memory for nothing. */
export const ALONE: Pace = {
  pollMs: 1_000,
  roundsMs: 0,
  mostUnderWay: 1_200,
  mostEffects: 500,
  quickMs: 500,
  slowMs: 1_000,
};

/**
 * Of a workspace among many in one process. Who wakes it is told by the list of seats, each second, so that looks are rare: each costs
 * several transactions, and most find nothing. What is due by the clock is known from the last batch. A batch
 * that takes longer than others may wait for their turn becomes smaller.
 */
export const AMONG_MANY: Pace = {
  pollMs: 30_000,
  roundsMs: 30_000,
  mostUnderWay: 200,
  mostEffects: 32,
  quickMs: 40,
  slowMs: 100,
};
