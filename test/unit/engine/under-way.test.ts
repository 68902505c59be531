import { expect } from 'chai';
import type { ProductClock } from '../../../pkg/base/product-clock.ts';
import { UnderWay } from '../../../pkg/engine/ledger/under-way.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

class HeldClock extends FakeClock implements ProductClock {
  held = 0;
  hold(): Promise<() => void> {
    this.held++;
    return Promise.resolve(() => {
      this.held--;
    });
  }
  close(): void {}
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what is under way', () => {
  let clock: HeldClock;
  let under: UnderWay;
  let begun: string[];
  let ends: Map<string, () => void>;
  beforeEach(() => {
    clock = new HeldClock();
    begun = [];
    ends = new Map();
    under = new UnderWay(2, clock, { settled: () => undefined, failed: (error) => expect.fail(String(error)) });
  });

  /** A job that ends when the test says so; `leaves`: it leaves its place at once. */
  function start(id: string, options: { atOnce?: boolean; leaves?: boolean } = {}): void {
    const job = async (leave: () => void): Promise<void> => {
      begun.push(id);
      if (options.leaves) leave();
      await new Promise<void>((resolve) => ends.set(id, resolve));
    };
    under.start(id, job, options.atOnce ? { atOnce: true } : {});
  }

  it('has places for so many; the others follow in order', async () => {
    for (const id of ['a', 'b', 'c', 'd']) start(id);
    await turn();
    expect(begun).to.deep.equal(['a', 'b']);
    ends.get('b')?.();
    await turn();
    expect(begun).to.deep.equal(['a', 'b', 'c']);
    expect(under.size).to.equal(3);
  });

  it('the one who leaves early gives its place away, once, and is under way until its end', async () => {
    for (const id of ['a', 'b']) start(id, { leaves: true });
    for (const id of ['c', 'd', 'e']) start(id);
    await turn();
    expect(begun).to.deep.equal(['a', 'b', 'c', 'd']);
    expect([under.size, clock.held]).to.deep.equal([5, 4]);
    ends.get('a')?.();
    await turn();
    expect(begun, 'its end is no second place').to.have.length(4);
  });

  it('a job that is to begin after something holds the clock until then', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    under.start('a', async () => void begun.push('a'), { atOnce: true, after: promise });
    await turn();
    expect([begun, under.busy, clock.held]).to.deep.equal([[], ['a'], 1]);
    resolve();
    await turn();
    expect([begun, under.busy, clock.held]).to.deep.equal([['a'], [], 0]);
  });

  it('what a run does next may begin before what it did has ended', async () => {
    start('a');
    await turn();
    const first = ends.get('a');
    start('a', { atOnce: true });
    await turn();
    first?.();
    await turn();
    expect([under.size, under.busy]).to.deep.equal([1, ['a']]);
    ends.get('a')?.();
    await turn();
    expect(under.size).to.equal(0);
  });

  it('what begins at once waits for nobody and takes nobody’s place; it says how many more may', async () => {
    for (const id of ['a', 'b', 'c']) start(id);
    for (const id of ['x', 'y']) start(id, { atOnce: true });
    await turn();
    expect(begun).to.have.members(['a', 'b', 'x', 'y']);
    expect(under.free).to.equal(0);
    ends.get('x')?.();
    await turn();
    expect(under.free).to.equal(1);
    expect(begun).not.to.include('c');
  });
});
