import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { NEVER, SystemClock } from '../../../pkg/base/clock.ts';
import type { ProductClock } from '../../../pkg/base/product-clock.ts';
import type { LeaseKeeper } from '../../../pkg/engine/lease/lease-keeper.ts';
import { LedgerBatcher } from '../../../pkg/engine/ledger/ledger-batcher.ts';
import { Cadence } from '../../../pkg/engine/loop/cadence.ts';
import type { Tx } from '../../../pkg/postgres/database.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

describe('commits of dispatches and settlements', () => {
  /** A batcher over a database that grants everything, and what each commit dispatched or settled. */
  const start = (): { batcher: LedgerBatcher; commits: string[]; time: FakeClock } => {
    const time = new FakeClock();
    const commits: string[] = [];
    const answer = (text: string, values: unknown[]): Promise<unknown[]> => {
      const ids = String(values.find((value) => /^\{.*\}$/.test(String(value))));
      commits[commits.length - 1] += `${/app\.(\w+)/.exec(text)?.[1]}${ids} `;
      const sendIds = ids.slice(1, -1).split(',');
      return Promise.resolve(sendIds.map((id) => ({ sendId: id, dispatched: true, refusal: null, dispatchedAt: 1 })));
    };
    const tx = {
      rows: answer,
      named: (_name: string, text: string, values: unknown[]) => answer(text, values),
    };
    const claim = {
      tx: async <T>(work: (tx: Tx) => Promise<{ answers: Promise<T> }>) => {
        commits.push('');
        return (await work(tx as unknown as Tx)).answers;
      },
    };
    const clock = Object.assign(new SystemClock(), { steady: true as const }) as unknown as ProductClock;
    const batcher = new LedgerBatcher(
      claim as unknown as LeaseKeeper,
      clock,
      () => Promise.resolve(),
      new Cadence({ workspaceId: 'acme', clock, stop: NEVER }),
      () => false,
      // Other than the time for which commits gather, which a test lets pass.
      { now: () => time.now(), sleep: (ms, signal) => time.sleep(ms, signal) },
    );
    return { batcher, commits, time };
  };

  /** Three that ask for a commit one after another, each due in so many ms: what each commit held. */
  const commitsOf = async (dueInMs: number): Promise<string[]> => {
    const { batcher, commits, time } = start();
    const dispatch = (sendId: string): Promise<unknown> => batcher.dispatch(sendId, [], Date.now() + dueInMs);
    await dispatch('a');
    const b = dispatch('b');
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    const c = dispatch('c');
    await time.advance(60);
    await Promise.all([b, c]);
    return commits;
  };
  const gathered = ['dispatch_sends{a} ', 'dispatch_sends{b,c} '];

  it('who is late waits for company, so that a backlog is worked off with fewer commits', async () => {
    expect(await commitsOf(-1_000)).to.deep.equal(gathered);
  });

  it('who has time does so too', async () => {
    expect(await commitsOf(10_000)).to.deep.equal(gathered);
  });

  it('who is due soon does not', async () => {
    expect(await commitsOf(0)).to.deep.equal(['dispatch_sends{a} ', 'dispatch_sends{b} ', 'dispatch_sends{c} ']);
  });

  it('a harmless action is confirmed with the next dispatch, any other by itself before that', async () => {
    const [harmless, other] = [start(), start()];
    await Promise.all([harmless, other].map(({ batcher }) => batcher.dispatch('a', [], Date.now())));
    const confirmed = { sendId: 'a', result: 'confirmed' as const, held: true };
    const seen = harmless.batcher.settle({ ...confirmed, plain: { providerId: null } });
    const settled = other.batcher.settle(confirmed);
    await other.time.advance(25);
    await settled;
    await Promise.all([seen, harmless.batcher.dispatch('b', [], Date.now())]);
    expect(harmless.commits).to.deep.equal(['dispatch_sends{a} ', 'confirm_sends{a} dispatch_sends{b} ']);
    expect(other.commits.length).to.equal(2);
  });
});
