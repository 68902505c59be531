import { type Clock, monotonicMs } from '../../base/clock.ts';
import type { Tx } from '../../postgres/database.ts';
import { type CallDispatch, type CallResult, dispatchCalls, settleCalls } from '../../store/calls/node-calls.ts';
import type { FaultHook } from '../fault-points.ts';
import type { LeaseKeeper } from '../lease/lease-keeper.ts';
import { Batcher } from '../ledger/batcher.ts';
import { settleAgain } from '../ledger/settle-again.ts';

/** What else is written with a settlement; what it returns stands in place of what was to be settled. */
export type Also = (tx: Tx, now: number) => Promise<Partial<CallResult> | undefined>;
type Item = { kind: 'dispatch'; callId: string } | { kind: 'settle'; result: CallResult; also: Also | undefined };
type Answer = { kind: 'dispatch'; answer: CallDispatch; startedAt: number } | { kind: 'done' };

/** Commits dispatches and settlements of many calls together. */
export class CallLedger {
  readonly #claim: LeaseKeeper;
  readonly #clock: Clock;
  readonly #faults: FaultHook;
  readonly #batcher: Batcher<Item, Answer>;

  constructor(claim: LeaseKeeper, clock: Clock, faults: FaultHook) {
    this.#claim = claim;
    this.#clock = clock;
    this.#faults = faults;
    this.#batcher = new Batcher((items) => this.#flush(items));
  }

  /** Commits `dispatched`. `startedAt`: monotonic ms before that commit, from which the write deadline counts. */
  async dispatch(callId: string): Promise<CallDispatch & { startedAt: number }> {
    const answer = await this.#batcher.add({ kind: 'dispatch', callId });
    if (answer.kind !== 'dispatch') throw new Error('wrong answer');
    return { ...answer.answer, startedAt: answer.startedAt };
  }

  /** Settles with what else has to be written; tries again while the database is away. @throws FencedError, or the last error */
  async settle(result: CallResult, also?: Also): Promise<void> {
    await settleAgain(() => this.#batcher.add({ kind: 'settle', result, also }));
  }

  async #flush(items: readonly Item[]): Promise<readonly Answer[]> {
    let startedAt = monotonicMs();
    const dispatches = items.flatMap((item) => (item.kind === 'dispatch' ? [item.callId] : []));
    const settlements = items.flatMap((item) => (item.kind === 'settle' ? [item] : []));
    const commit = async (tx: Tx): Promise<CallDispatch[]> => {
      // After the wait for a connection, as of sends.
      startedAt = monotonicMs();
      const now = this.#clock.now();
      const results: CallResult[] = [];
      for (const { result, also } of settlements) results.push({ ...result, ...(await also?.(tx, now)) });
      await settleCalls(tx, now, results);
      if (settlements[0]) await this.#faults('settling', settlements[0].result.callId);
      const answered = dispatches.length > 0 ? await dispatchCalls(tx, now, dispatches) : [];
      if (dispatches[0]) await this.#faults('dispatching', dispatches[0]);
      return answered;
    };
    const answers = await this.#claim.tx(commit, { urgent: true });
    const byCall = new Map(answers.map((answer) => [answer.callId, answer]));
    return items.map((item): Answer => {
      if (item.kind !== 'dispatch') return { kind: 'done' };
      const answer = byCall.get(item.callId) ?? { callId: item.callId, dispatched: false, sequence: null };
      return { kind: 'dispatch', answer, startedAt };
    });
  }
}
