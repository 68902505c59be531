import { expect } from 'chai';
import { Batcher } from '../../../pkg/engine/ledger/batcher.ts';

describe('Batcher', () => {
  it('gathers what comes while a flush runs, and answers each in its order', async () => {
    const sizes: number[] = [];
    const gate = Promise.withResolvers<void>();
    const batcher = new Batcher<number, number>(async (items) => {
      sizes.push(items.length);
      if (sizes.length === 1) await gate.promise;
      return items.map((item) => item * 2);
    });
    const first = batcher.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    const rest = [2, 3, 4].map((item) => batcher.add(item));
    gate.resolve();
    expect(await Promise.all([first, ...rest])).to.deep.equal([2, 4, 6, 8]);
    expect(sizes).to.deep.equal([1, 3]);
  });

  it('what one flush answers asks for the next one together', async () => {
    const sizes: number[] = [];
    const batcher = new Batcher<number, number>(async (items) => {
      sizes.push(items.length);
      return [...items];
    });
    const twice = async (item: number): Promise<number> => batcher.add(await batcher.add(item));
    expect(await Promise.all([1, 2, 3].map(twice))).to.deep.equal([1, 2, 3]);
    expect(sizes).to.deep.equal([3, 3]);
  });

  it('a failed flush fails its own items only', async () => {
    let fail = true;
    const batcher = new Batcher<number, number>(async (items) => {
      if (fail) throw new Error('down');
      return [...items];
    });
    const refused = await batcher.add(1).catch((error: Error) => error.message);
    fail = false;
    expect(refused).to.equal('down');
    expect(await batcher.add(2)).to.equal(2);
  });

  describe('with time', () => {
    /** A batcher whose clock stands, at `clock.now`, and whose sleeps end when told. */
    const gathering = () => {
      const clock = { now: 0 };
      const sizes: number[] = [];
      const sleeps: { ms: number; end: () => void }[] = [];
      let heard = Promise.withResolvers<void>();
      const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
        new Promise((resolve, reject) => {
          sleeps.push({ ms, end: resolve });
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          heard.resolve();
        });
      const slept = async (times: number): Promise<void> => {
        while (sleeps.length < times) {
          await heard.promise;
          heard = Promise.withResolvers<void>();
        }
      };
      const flush = async (items: readonly number[]): Promise<number[]> => {
        sizes.push(items.length);
        return [...items];
      };
      const batcher = new Batcher<number, number>(flush, { now: () => clock.now, sleep });
      return { clock, sizes, sleeps, slept, batcher };
    };

    it('the first is flushed at once, those after it when their time is up, together', async () => {
      const { clock, sizes, sleeps, slept, batcher } = gathering();
      await batcher.add(1, 25);
      clock.now = 10;
      const later = [2, 3].map((item) => batcher.add(item, 25));
      await slept(1);
      later.push(batcher.add(4, 25));
      expect(sizes).to.deep.equal([1]);
      expect(sleeps.map(({ ms }) => ms)).to.deep.equal([15]);
      sleeps[0]?.end();
      expect(await Promise.all(later)).to.deep.equal([2, 3, 4]);
      expect(sizes).to.deep.equal([1, 3]);
    });

    it('the one who has no time takes those along that wait', async () => {
      const { sizes, slept, batcher } = gathering();
      await batcher.add(1, 25);
      const waiting = batcher.add(2, 25);
      await slept(1);
      expect(await Promise.all([waiting, batcher.add(3)])).to.deep.equal([2, 3]);
      expect(sizes).to.deep.equal([1, 2]);
    });

    it('the one who has less time takes those along that have more, and waits as long as it may', async () => {
      const { clock, sizes, sleeps, slept, batcher } = gathering();
      await batcher.add(1, 25);
      const waiting = [batcher.add(2, 250)];
      await slept(1);
      clock.now = 10;
      waiting.push(batcher.add(3, 25), batcher.add(4, 250));
      await slept(2);
      expect(sizes).to.deep.equal([1]);
      expect(sleeps.map(({ ms }) => ms)).to.deep.equal([250, 15]);
      sleeps[1]?.end();
      expect(await Promise.all(waiting)).to.deep.equal([2, 3, 4]);
      expect(sizes).to.deep.equal([1, 3]);
    });

    it('who comes after a flush has its own time, not that of those before', async () => {
      const { clock, sleeps, slept, batcher } = gathering();
      await batcher.add(1);
      clock.now = 1;
      const later = batcher.add(2, 250);
      await slept(1);
      expect(sleeps.map(({ ms }) => ms)).to.deep.equal([249]);
      sleeps[0]?.end();
      await later;
    });

    it('a full batch has no time', async () => {
      const { sizes, slept, batcher } = gathering();
      await batcher.add(0, 25);
      const first = batcher.add(1, 25);
      await slept(1);
      const rest = Array.from({ length: 499 }, (_, item) => batcher.add(item, 25));
      await Promise.all([first, ...rest]);
      expect(sizes).to.deep.equal([1, 500]);
    });

    it('nothing waits when the last flush is long past', async () => {
      const { clock, sizes, sleeps, batcher } = gathering();
      await batcher.add(1, 25);
      clock.now = 25;
      expect(await batcher.add(2, 25)).to.equal(2);
      expect(sizes).to.deep.equal([1, 1]);
      expect(sleeps).to.deep.equal([]);
    });
  });
});
