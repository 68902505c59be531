import { monotonicMs } from '../../base/clock.ts';
import type { ClaimLane } from '../../store/runs/claim-lane.ts';

/** Runs that a lane claims at once at least: less is not worth its fixed costs. */
const LEAST = 100;

/** What the lanes need of the engine. */
export interface LaneWork {
  /** One batch of the lane's due runs, `limit` at most; returns how many it took. */
  step: (lane: ClaimLane, limit: number) => Promise<number>;
  /** Runs that a batch may take now while `claiming` runs are being taken by another. */
  room: (claiming: number) => number;
  /** A lane has found few runs: no batch of it is about to come. */
  ended: (lane: ClaimLane) => void;
  /** Resolves when an effect or call has ended since, or after a moment. */
  settled: () => Promise<void>;
  stopped: () => boolean;
}

/** Runs both lanes to their end. @throws the error of the first one that failed, when the other has ended too */
export async function bothLanes(run: (lane: ClaimLane) => Promise<void>): Promise<void> {
  const lanes = await Promise.allSettled([run(0), run(1)]);
  for (const one of lanes) if (one.status === 'rejected') throw one.reason;
}

/**
 * While effects are under way, two lanes claim for accounts of their own, so that the database judges the batch of one while this
 * process walks that of the other. Commits of the ledger go in between, on the same two connections.
 */
export class ClaimLanes {
  readonly #work: LaneWork;
  /** Runs that batches at work may take: each may ask for an effect. */
  #claiming = 0;

  constructor(work: LaneWork) {
    this.#work = work;
  }

  /** Claims for `ms` of real time at most; a lane that finds few ends, its runs are not many any more. */
  async run(ms: number): Promise<void> {
    const until = monotonicMs() + ms;
    await bothLanes((lane) => this.#lane(lane, until));
  }

  async #lane(lane: ClaimLane, until: number): Promise<void> {
    while (!this.#work.stopped() && monotonicMs() < until) {
      const limit = this.#work.room(this.#claiming);
      if (limit < LEAST) await this.#work.settled();
      else if ((await this.#claim(lane, limit)) < limit / 2) return this.#work.ended(lane);
    }
  }

  async #claim(lane: ClaimLane, limit: number): Promise<number> {
    this.#claiming += limit;
    try {
      return await this.#work.step(lane, limit);
    } finally {
      this.#claiming -= limit;
    }
  }
}
