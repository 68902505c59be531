import { expect } from 'chai';
import { againAfterDeadlock } from '../../../pkg/postgres/deadlock.ts';

const deadlock = (): Error => Object.assign(new Error('deadlock detected'), { code: '40P01' });

describe('a transaction that the database ended to break a circle of waits', () => {
  async function tried(failures: Error[]): Promise<{ outcome: unknown; pauses: number[] }> {
    const pauses: number[] = [];
    const outcome = await againAfterDeadlock(
      async () => {
        const error = failures.shift();
        if (error) throw error;
        return 'done';
      },
      async (ms) => {
        pauses.push(ms);
      },
    ).catch((error: unknown) => error);
    return { outcome, pauses };
  }

  it('runs again after a pause that grows, so that the other one goes first', async () => {
    const { outcome, pauses } = await tried([deadlock(), deadlock()]);
    expect(outcome).to.equal('done');
    expect(pauses).to.deep.equal([20, 40]);
  });

  it('is given up after five tries', async () => {
    const { outcome, pauses } = await tried(Array.from({ length: 5 }, deadlock));
    expect(outcome).to.have.property('code', '40P01');
    expect(pauses).to.have.length(4);
  });

  it('is not tried again after any other error', async () => {
    const { outcome, pauses } = await tried([new Error('syntax')]);
    expect(outcome).to.have.property('message', 'syntax');
    expect(pauses).to.deep.equal([]);
  });
});
