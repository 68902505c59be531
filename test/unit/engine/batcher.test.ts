import { expect } from 'chai';
import { Batcher } from '../../../pkg/engine/batcher.ts';

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
});
