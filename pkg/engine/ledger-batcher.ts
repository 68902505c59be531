import { monotonicMs, sleepReal } from '../base/clock.ts';
import type { ProductClock } from '../base/product-clock.ts';
import { LastAnswers } from '../postgres/database.ts';
import { noteRelations, type RelationNote } from '../store/inbox.ts';
import { type DispatchAnswer, dispatchSends, type SendResult, settleSends } from '../store/ledger.ts';
import { Batcher } from './batcher.ts';
import type { ClaimKeeper } from './claim-keeper.ts';
import type { FaultHook } from './fault-points.ts';
import { SETTLE_EVERY_MS } from './look-ahead.ts';
import { settleAgain } from './settle-again.ts';

/** With what was learnt of relations: it is committed together with the rest. */
type Item = { relations: readonly RelationNote[] } & (
  | { kind: 'dispatch'; sendId: string }
  | { kind: 'settle'; result: SendResult }
);
type Answer = { kind: 'dispatch'; answer: DispatchAnswer; startedAt: number } | { kind: 'done' };

/** Commits relations, dispatches and settlements of many effects together. */
export class LedgerBatcher {
  readonly #claim: ClaimKeeper;
  readonly #clock: ProductClock;
  readonly #faults: FaultHook;
  readonly #batcher: Batcher<Item, Answer>;

  constructor(claim: ClaimKeeper, clock: ProductClock, faults: FaultHook) {
    this.#claim = claim;
    this.#clock = clock;
    this.#faults = faults;
    this.#batcher = new Batcher(
      (items) => this.#flush(items),
      clock.steady && { everyMs: SETTLE_EVERY_MS, now: monotonicMs, sleep: sleepReal },
    );
  }

  /** Commits `dispatched`. `startedAt`: monotonic ms before that commit, from which the 5 s count. */
  async dispatch(sendId: string, relations: readonly RelationNote[]): Promise<DispatchAnswer & { startedAt: number }> {
    const answer = await this.#batcher.add({ kind: 'dispatch', sendId, relations });
    if (answer.kind !== 'dispatch') throw new Error('wrong answer');
    return { ...answer.answer, startedAt: answer.startedAt };
  }

  /** Settles; tries again while the database is away for a moment. @throws FencedError, or the last error */
  async settle(result: SendResult, relations: readonly RelationNote[] = []): Promise<void> {
    await settleAgain(() => this.#batcher.add({ kind: 'settle', result, relations }, { hasTime: true }));
  }

  async #flush(items: readonly Item[]): Promise<readonly Answer[]> {
    const startedAt = monotonicMs();
    const dispatches = items.flatMap((item) => (item.kind === 'dispatch' ? [item.sendId] : []));
    const results = items.flatMap((item) => (item.kind === 'settle' ? [item.result] : []));
    const relations = items.flatMap((item) => item.relations);
    const answers = await this.#claim.tx(
      async (tx) => {
        const now = this.#clock.now();
        // In this order: a dispatch sees what was noted and settled before it.
        const answered = new LastAnswers(
          Promise.all([
            noteRelations(tx, now, relations),
            settleSends(tx, now, results),
            dispatchSends(tx, now, dispatches),
          ]).then(([, , dispatched]) => dispatched),
        );
        if (results[0]) await this.#faults('settling', results[0].sendId);
        if (dispatches[0]) await this.#faults('dispatching', dispatches[0]);
        return answered;
      },
      { lookups: true },
    );
    const bySend = new Map(answers.map((answer) => [answer.sendId, answer]));
    return items.map((item): Answer => {
      if (item.kind !== 'dispatch') return { kind: 'done' };
      const answer = bySend.get(item.sendId) ?? { sendId: item.sendId, dispatched: false, refusal: 'gone' as const };
      return { kind: 'dispatch', answer, startedAt };
    });
  }
}
