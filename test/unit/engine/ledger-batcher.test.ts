import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { SystemClock } from '../../../pkg/base/clock.ts';
import type { ProductClock } from '../../../pkg/base/product-clock.ts';
import type { ClaimKeeper } from '../../../pkg/engine/claim-keeper.ts';
import { LedgerBatcher } from '../../../pkg/engine/ledger-batcher.ts';
import type { Tx } from '../../../pkg/postgres/database.ts';

describe('commits of dispatches', () => {
  /** A batcher over a database that grants everything, and what each commit dispatched. */
  const start = (): { batcher: LedgerBatcher; commits: string[] } => {
    const commits: string[] = [];
    const tx = {
      rows: (_text: string, [, ids]: unknown[]) => {
        commits.push(String(ids));
        const sendIds = String(ids).slice(1, -1).split(',');
        return Promise.resolve(sendIds.map((id) => ({ sendId: id, dispatched: true, refusal: null })));
      },
    };
    const claim = {
      tx: async <T>(work: (tx: Tx) => Promise<{ answers: Promise<T> }>) => (await work(tx as unknown as Tx)).answers,
    };
    const clock = Object.assign(new SystemClock(), { steady: true as const }) as unknown as ProductClock;
    const batcher = new LedgerBatcher(
      claim as unknown as ClaimKeeper,
      clock,
      () => Promise.resolve(),
      () => false,
    );
    return { batcher, commits };
  };

  it('who is late waits for company, so that a backlog is worked off with fewer commits', async () => {
    const { batcher, commits } = start();
    await batcher.dispatch('a', [], { late: true });
    const b = batcher.dispatch('b', [], { late: true });
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    await Promise.all([b, batcher.dispatch('c', [], { late: true })]);
    expect(commits).to.deep.equal(['{a}', '{b,c}']);
  });

  it('who is in time does not', async () => {
    const { batcher, commits } = start();
    await batcher.dispatch('a', []);
    const b = batcher.dispatch('b', []);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    await Promise.all([b, batcher.dispatch('c', [])]);
    expect(commits).to.deep.equal(['{a}', '{b}', '{c}']);
  });
});
