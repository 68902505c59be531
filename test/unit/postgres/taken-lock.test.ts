import { expect } from 'chai';
import { UserError } from '../../../pkg/base/errors.ts';
import { againWhenFree, LockTaken } from '../../../pkg/postgres/taken-lock.ts';

const pause = async (): Promise<void> => undefined;
const failing = (times: number, error: Error) => {
  let left = times;
  return async (): Promise<string> => {
    if (left-- > 0) throw error;
    return 'done';
  };
};
const refusal = (asked: Promise<unknown>): Promise<Error> =>
  asked.then(
    () => new Error('not refused'),
    (error: Error) => error,
  );

describe('a lock that another transaction has', () => {
  it('is tried again until it is free', async () => {
    expect(await againWhenFree(failing(3, new LockTaken('taken', 'a')), 60_000, pause)).to.equal('done');
    const ours = Object.assign(new Error('An import is running'), { code: '55P03', hint: 'Wait.' });
    expect(await againWhenFree(failing(3, ours), 60_000, pause)).to.equal('done');
  });

  it('and is refused in its own words when it never is', async () => {
    const error = await refusal(againWhenFree(failing(9, new LockTaken('An import is running', 'b')), 0, pause));
    expect([error instanceof UserError, error.message]).to.deep.equal([true, 'An import is running']);
    const server = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
    expect((await refusal(againWhenFree(failing(9, server), 0, pause))).message).to.match(/^Another call changes/);
  });

  it('is tried by one at a time, in the order in which they came', async () => {
    let free = false;
    const order: string[] = [];
    const tries = (name: string) => async (): Promise<void> => {
      if (!free) throw new LockTaken('taken', 'c');
      order.push(name);
    };
    const all = ['one', 'two', 'three'].map((name) =>
      againWhenFree(tries(name), 60_000, async () => {
        free = true;
      }),
    );
    await Promise.all(all);
    expect(order).to.deep.equal(['one', 'two', 'three']);
  });

  it('any other error is thrown at once', async () => {
    const run = failing(1, new Error('broken'));
    expect((await refusal(againWhenFree(run, 60_000, pause))).message).to.equal('broken');
    expect(await run()).to.equal('done');
  });
});
