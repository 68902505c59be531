import { monotonicMs } from '../../base/clock.ts';
import type { DequeueLane } from '../../store/runs/dequeue-lane.ts';

/** A batch this large, and full, is a backlog: two lanes work on it, for at most this many real ms at a stretch. */
const BACKLOG_FROM = 100;
const STRETCH_MS = 1_000;
/** Runs that a lane claims at once at least: less is not worth its fixed costs. */
const LEAST = 100;

/** What the lanes need of the engine. */
export interface LaneWork {
  /** One batch of the lane's due runs (null: of all), `limit` at most; returns how many it took. */
  step: (lane: DequeueLane | null, limit: number) => Promise<number>;
  /** Runs that a batch may take now while `claiming` runs are being taken by another. */
  room: (dequeuing: number) => number;
  /** Effects and calls under way. */
  underWay: () => number;
  /** From now on batches follow each other. */
  began: () => void;
  /** A lane (null: each) has found few runs: no batch of it is about to come. */
  ended: (lane: DequeueLane | null) => void;
  /** Resolves when an effect or call has ended since, or after a moment. */
  settled: () => Promise<void>;
  stopped: () => boolean;
}

/** Runs both lanes to their end. @throws the error of the first one that failed, when the other has ended too */
async function bothLanes(run: (lane: DequeueLane) => Promise<void>): Promise<void> {
  const lanes = await Promise.allSettled([run(0), run(1)]);
  for (const one of lanes) if (one.status === 'rejected') throw one.reason;
}

/**
 * One batch, or many of a backlog: while batches come back full, two lanes claim and write back side by side, each on its own
 * connection, so that the database works on one batch while this process walks the other. A run is locked by one of them. Once
 * effects are under way each lane has accounts of its own, since two claims would wait for the same ones; commits of the ledger
 * go in between, on the same two connections.
 */
export class DequeueLanes {
  readonly #work: LaneWork;
  /** Runs that batches at work may take: each may ask for an effect. */
  #dequeuing = 0;

  constructor(work: LaneWork) {
    this.#work = work;
  }

  /** One batch of at most `full` runs, and where that shows a backlog a stretch of it. @returns how many the first batch took */
  async work(full: number): Promise<number> {
    const worked = await this.#work.step(null, full);
    if (worked < full || worked < BACKLOG_FROM) {
      this.#work.ended(null);
      return worked;
    }
    if (this.#work.underWay() > 0) {
      this.#work.began();
      await this.run(STRETCH_MS);
    } else {
      const until = monotonicMs() + STRETCH_MS;
      await bothLanes(() => this.#withoutEffects(until));
    }
    return worked;
  }

  /** Until the first effect, after which each lane has accounts of its own. */
  async #withoutEffects(until: number): Promise<void> {
    while (!this.#work.stopped() && monotonicMs() < until && this.#work.underWay() === 0) {
      const room = this.#work.room(0);
      if ((await this.#work.step(null, room)) < room) return;
    }
  }

  /** Claims for `ms` of real time at most; a lane that finds few ends, its runs are not many any more. */
  async run(ms: number): Promise<void> {
    const until = monotonicMs() + ms;
    await bothLanes((lane) => this.#lane(lane, until));
  }

  async #lane(lane: DequeueLane, until: number): Promise<void> {
    while (!this.#work.stopped() && monotonicMs() < until) {
      const limit = this.#work.room(this.#dequeuing);
      if (limit < LEAST) await this.#work.settled();
      else if ((await this.#claim(lane, limit)) < limit / 2) return this.#work.ended(lane);
    }
  }

  async #claim(lane: DequeueLane, limit: number): Promise<number> {
    this.#dequeuing += limit;
    try {
      return await this.#work.step(lane, limit);
    } finally {
      this.#dequeuing -= limit;
    }
  }
}
