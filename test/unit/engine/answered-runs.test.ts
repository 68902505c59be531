import { expect } from 'chai';
import { type Confirmation, Continuations, type TakenRun } from '../../../pkg/engine/loop/continuations.ts';

/** Accounts of both lanes. */
const [EVEN, ODD] = ['a0', 'a1'];

const run = (n: number): { runId: string; sendId: string } => ({ runId: `r${n}`, sendId: `s${n}` });
const confirmation = (n: number): Confirmation => ({
  result: { sendId: `s${n}`, result: 'confirmed', plain: { providerId: null } },
  claim: {
    ...run(n),
    nodeId: 'n0',
    accountId: EVEN,
    action: 'profile_view',
    budgets: ['profile_view'],
    once: 'node',
    body: null,
    target: {},
  },
});

describe('runs whose send was answered', () => {
  let stop: AbortController;
  let answered: Continuations;
  let calls: number;
  beforeEach(() => {
    stop = new AbortController();
    calls = 0;
    answered = new Continuations(stop.signal, () => calls++);
  });

  /** Ids of what a batch gets that confirms those of the runs it is told to. */
  async function batch(max: number, lane: 0 | 1 | null, confirmed: string[] = []): Promise<TakenRun[]> {
    let got: TakenRun[] = [];
    await answered.take(max, lane, (taken) => {
      got = taken;
      return Promise.resolve({ confirmed: new Set(confirmed) });
    });
    return got;
  }

  it('go on in the lane of their account, or in any when there is one', async () => {
    for (const [n, account] of ['a0', 'a1', 'b2', 'b3'].entries()) answered.add(run(n), account);
    expect(await batch(9, 1)).to.deep.equal([run(1), run(3)]);
    expect(await batch(1, null)).to.deep.equal([run(0)]);
    expect(await batch(9, 0)).to.deep.equal([run(2)]);
    expect(answered.size).to.equal(0);
  });

  it('are settled by themselves unless batches follow each other', async () => {
    expect(await answered.confirm(run(1), EVEN, confirmation(1))).to.equal(false);
    expect([answered.size, answered.confirming, calls]).to.deep.equal([0, 0, 0]);
  });

  it('are confirmed by the batch that takes them, which says whom it has confirmed', async () => {
    answered.gather();
    const heard = [1, 2].map((n) => answered.confirm(run(n), ODD, confirmation(n)));
    expect([answered.confirming, calls]).to.deep.equal([2, 2]);
    expect(await batch(9, 0), 'another lane').to.deep.equal([]);
    expect(await batch(9, 1, ['r2'])).to.deep.equal([1, 2].map((n) => ({ ...run(n), confirm: confirmation(n) })));
    expect(await Promise.all(heard)).to.deep.equal([false, true]);
    expect(answered.confirming).to.equal(0);
  });

  it('a batch that fails has confirmed nobody', async () => {
    answered.gather();
    const heard = answered.confirm(run(1), EVEN, confirmation(1));
    const failed = answered.take(9, null, () => Promise.reject(new Error('the database is gone')));
    expect(await failed.catch((error: Error) => error.message)).to.equal('the database is gone');
    expect(await heard).to.equal(false);
  });

  it('wait for no batch of a lane that has ended, nor after the stop', async () => {
    answered.gather();
    const heard = [answered.confirm(run(1), EVEN, confirmation(1)), answered.confirm(run(2), ODD, confirmation(2))];
    answered.release(0);
    expect(await heard[0]).to.equal(false);
    expect(await answered.confirm(run(3), EVEN, confirmation(3)), 'the lane has ended').to.equal(false);
    expect(answered.confirming, 'the other one goes on').to.equal(1);
    stop.abort();
    expect(await heard[1]).to.equal(false);
    answered.gather();
    expect(await answered.confirm(run(4), ODD, confirmation(4)), 'no batch comes any more').to.equal(false);
  });

  it('that are settled already stay when no batch waits for confirmations any more', async () => {
    answered.gather();
    answered.add(run(1), EVEN);
    answered.release();
    expect(await batch(9, null)).to.deep.equal([run(1)]);
  });
});
