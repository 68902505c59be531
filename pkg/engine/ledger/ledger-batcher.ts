import { monotonicMs, sleepReal } from '../../base/clock.ts';
import type { ProductClock } from '../../base/product-clock.ts';
import { LastAnswers, type Tx } from '../../postgres/database.ts';
import { dispatchActions } from '../../store/actions/actions.ts';
import { noteRelations, type RelationNote } from '../../store/inbox/inbox.ts';
import {
  type DispatchAnswer,
  dispatchSends,
  freeSends,
  type SendResult,
  settleSends,
} from '../../store/ledger/ledger.ts';
import type { FaultHook } from '../fault-points.ts';
import type { LeaseKeeper } from '../lease/lease-keeper.ts';
import type { Cadence } from '../loop/cadence.ts';
import { Batcher, type Gathering } from './batcher.ts';
import { settleAgain } from './settle-again.ts';

/** With what was learnt of relations: it is committed together with the rest. */
type Item = { relations: readonly RelationNote[] } & (
  | { kind: 'dispatch'; sendId: string; ofAction: boolean }
  | { kind: 'settle'; result: SendResult; patient: boolean; said: readonly RelationNote[] }
);
type Answer = { kind: 'dispatch'; answer: DispatchAnswer; startedAt: number } | { kind: 'done' } | { kind: 'busy' };

/** A failure gives units back. While batches work on its account it asks again after so many real ms, and after so many times waits for them. */
const BUSY_MS = 20;
const BUSY_TIMES = 8;

/** Commits relations, dispatches and settlements of many effects together. */
export class LedgerBatcher {
  readonly #claim: LeaseKeeper;
  readonly #clock: ProductClock;
  readonly #faults: FaultHook;
  readonly #cadence: Cadence;
  readonly #batcher: Batcher<Item, Answer>;
  /** What did not go through, apart from what others wait for. */
  readonly #failures: Batcher<Item, Answer>;
  readonly #backlog: () => boolean;

  /**
   * @param cadence knows for how long what may wait for others
   * @param backlog whether batches follow each other
   * @param gathering real time
   */
  constructor(
    claim: LeaseKeeper,
    clock: ProductClock,
    faults: FaultHook,
    cadence: Cadence,
    backlog: () => boolean,
    gathering: Gathering = { now: monotonicMs, sleep: sleepReal },
  ) {
    this.#claim = claim;
    this.#clock = clock;
    this.#faults = faults;
    this.#cadence = cadence;
    this.#backlog = backlog;
    const batcher = (): Batcher<Item, Answer> => new Batcher((items) => this.#flush(items), gathering);
    this.#batcher = batcher();
    this.#failures = batcher();
  }

  /**
   * Commits `dispatched`. `startedAt`: monotonic ms before that commit, from which the 5 s count.
   * @param dueAt epoch ms product time: what is late, or has time, waits for others, so that there are fewer commits
   * @param ofAction the send is of an action without a run
   */
  async dispatch(
    sendId: string,
    relations: readonly RelationNote[],
    dueAt: number,
    ofAction = false,
  ): Promise<DispatchAnswer & { startedAt: number }> {
    const patienceMs = this.#cadence.dispatchPatienceMs(dueAt);
    const answer = await this.#batcher.add({ kind: 'dispatch', sendId, ofAction, relations }, patienceMs);
    if (answer.kind !== 'dispatch') throw new Error('wrong answer');
    return { ...answer.answer, startedAt: answer.startedAt };
  }

  /**
   * Settles; tries again while the database is away for a moment.
   * @param said what the refusal itself says of the relation: noted when the send is settled, as it is no answer to it
   * @throws FencedError, or the last error
   */
  async settle(
    result: SendResult,
    relations: readonly RelationNote[] = [],
    said: readonly RelationNote[] = [],
  ): Promise<void> {
    const failed = result.result === 'failed';
    const batcher = result.result === 'confirmed' ? this.#batcher : this.#failures;
    for (let times = 0; ; times++) {
      const item: Item = { kind: 'settle', result, relations, said, patient: failed && times < BUSY_TIMES };
      const answer = await settleAgain(() => batcher.add(item, this.#patienceMs(result)));
      if (answer.kind !== 'busy') return;
      await sleepReal(BUSY_MS);
    }
  }

  /** Ms from the last commit to that of a settlement at most. */
  #patienceMs({ result, plain }: SendResult): number {
    const backlog = this.#backlog();
    return this.#cadence.settlePatienceMs({ confirmed: result === 'confirmed', plain: Boolean(plain), backlog });
  }

  async #flush(items: readonly Item[]): Promise<readonly Answer[]> {
    let startedAt = monotonicMs();
    const dispatches = dispatchesIn(items, false);
    const ofActions = dispatchesIn(items, true);
    const busy = new Set<Item>();
    const answers = await this.#claim.tx(
      async (tx) => {
        // Before `dispatched` is written, and after the wait for a connection: the time for the request is not spent in a queue.
        startedAt = monotonicMs();
        const now = this.#clock.now();
        busy.clear();
        for (const item of await busyOf(tx, items)) busy.add(item);
        const done = items.filter((item) => !busy.has(item));
        const results = done.flatMap((item) => (item.kind === 'settle' ? [item.result] : []));
        const relations = done.flatMap((item) => item.relations);
        const said = done.flatMap((item) => (item.kind === 'settle' ? item.said : []));
        // In this order: a dispatch sees what was noted and settled before it.
        const answered = new LastAnswers(
          Promise.all([
            noteRelations(tx, now, relations),
            settleSends(tx, now, results),
            noteRelations(tx, now, said),
            dispatchSends(tx, now, dispatches),
            dispatchActions(tx, now, ofActions),
          ]).then(([, , , ofRuns, others]) => [...ofRuns, ...others]),
        );
        if (results[0]) await this.#faults('settling', results[0].sendId);
        const dispatching = dispatches[0] ?? ofActions[0];
        if (dispatching) await this.#faults('dispatching', dispatching);
        return answered;
      },
      { lookups: true, urgent: true },
    );
    const bySend = new Map(answers.map((answer) => [answer.sendId, answer]));
    return items.map((item): Answer => {
      if (item.kind !== 'dispatch') return { kind: busy.has(item) ? 'busy' : 'done' };
      const answer = bySend.get(item.sendId) ?? { sendId: item.sendId, dispatched: false, refusal: 'gone' as const };
      return { kind: 'dispatch', answer, startedAt };
    });
  }
}

function dispatchesIn(items: readonly Item[], ofAction: boolean): string[] {
  return items.flatMap((item) => (item.kind === 'dispatch' && item.ofAction === ofAction ? [item.sendId] : []));
}

/** Failures whose account others work on, of those that would rather ask again. */
async function busyOf(tx: Tx, items: readonly Item[]): Promise<Item[]> {
  const settling = items.flatMap((item) => (item.kind === 'settle' ? [item] : []));
  const patient = settling.filter((item) => item.patient);
  const idsOf = (some: typeof settling): string[] => some.map((item) => item.result.sendId);
  const others = settling.filter((item) => !item.patient && !item.result.plain);
  const free = await freeSends(tx, idsOf(patient), idsOf(others));
  return patient.filter((item) => !free.has(item.result.sendId));
}
