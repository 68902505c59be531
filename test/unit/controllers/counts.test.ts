import { expect } from 'chai';
import { CountsCache } from '../../../pkg/controllers/counts.ts';
import type { Database } from '../../../pkg/postgres/database.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

describe('counts of workspaces', () => {
  /** How often runs were counted within a time in which somebody asks every second, where counting takes so long. */
  async function countedWithin(ms: number, tookMs: number): Promise<number> {
    const clock = new FakeClock();
    let counted = 0;
    const tx = {
      row: async () => ({ campaigns: 1, workflows: 1 }),
      rows: async () => {
        counted++;
        await clock.advance(tookMs);
        return [];
      },
    };
    const db = { tx: (_: unknown, work: (given: typeof tx) => unknown) => work(tx) } as unknown as Database;
    const counts = new CountsCache(db, clock);
    for (const end = clock.now() + ms; clock.now() < end; await clock.advance(1_000)) await counts.of('acme');
    return counted;
  }

  it('are counted every half minute where that is quick', async () => {
    expect(await countedWithin(300_000, 10)).to.be.within(9, 11);
  });

  it('take a twentieth of the time at most where there are many runs', async () => {
    expect(await countedWithin(2_000_000, 10_000)).to.be.at.most(10);
  });

  it('are counted every ten minutes however long it takes', async () => {
    expect(await countedWithin(6_000_000, 60_000)).to.be.within(8, 10);
  });
});
