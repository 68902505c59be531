import { expect } from 'chai';
import { ForeignBusy, ForeignOverrun } from '../../../../pkg/base/foreign-bytes/overrun.ts';
import { layOut } from '../../../../pkg/mcp/pictures/lay-out.ts';
import { Layouts } from '../../../../pkg/mcp/pictures/layouts.ts';
import type { GraphShape } from '../../../../pkg/mcp/pictures/picture.ts';

const chain = (nodes: number): GraphShape => ({
  nodes,
  edges: Array.from({ length: nodes - 1 }, (_, at): [number, number, number] => [at, at + 1, 0]),
});

/** Lays out where it is asked, and counts. */
class Counting {
  asked: { tenant: string; shape: GraphShape }[] = [];
  fails: Error | undefined;
  async parse<T>(tenant: string, shape: unknown): Promise<T> {
    this.asked.push({ tenant, shape: shape as GraphShape });
    if (this.fails) throw this.fails;
    return layOut(shape as GraphShape) as T;
  }
  async close(): Promise<void> {}
}

describe('kept layouts', function () {
  this.timeout(60_000);

  it('a graph is laid out once, also for two who ask at once, and another one for itself', async () => {
    const pool = new Counting();
    const layouts = new Layouts(pool);
    const [first, second] = await Promise.all([layouts.of('acme', chain(3)), layouts.of('acme', chain(3))]);
    expect(second).to.equal(first);
    expect(await layouts.of('acme', chain(3))).to.equal(first);
    expect(await layouts.of('acme', chain(4))).to.not.deep.equal(first);
    expect(pool.asked.map(({ shape }) => shape.nodes)).to.deep.equal([3, 4]);
  });

  it('what is kept holds numbers alone: no text of a tenant is in it', async () => {
    const pool = new Counting();
    const layout = await new Layouts(pool).of('acme', { nodes: 2, edges: [[0, 1, 5]] });
    const texts: string[] = [];
    JSON.stringify([layout, pool.asked.map(({ shape }) => shape)], (_key, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
    expect(texts).to.deep.equal([]);
  });

  it('no more than 200 are kept: the one that was asked for longest ago goes', async () => {
    const pool = new Counting();
    const layouts = new Layouts(pool);
    const shape = (at: number): GraphShape => ({ nodes: 1, edges: [[0, 0, at]] });
    for (let at = 0; at < 200; at++) await layouts.of('acme', shape(at));
    await layouts.of('acme', shape(0));
    await layouts.of('acme', shape(200));
    const before = pool.asked.length;
    await layouts.of('acme', shape(0));
    expect(pool.asked.length, 'still kept').to.equal(before);
    await layouts.of('acme', shape(1));
    expect(pool.asked.length, 'gone').to.equal(before + 1);
  });

  it('what failed is tried again, and says what to do', async () => {
    const pool = new Counting();
    const layouts = new Layouts(pool);
    const failed = (): Promise<{ status: number; message: string }> =>
      layouts.of('acme', chain(2)).then(
        () => ({ status: 200, message: '' }),
        (error: { status: number; message: string }) => error,
      );
    pool.fails = new ForeignOverrun('time');
    expect(await failed()).to.include({ status: 422 });
    pool.fails = new ForeignBusy('too much');
    expect(await failed()).to.include({ status: 503 });
    pool.fails = undefined;
    expect(await failed()).to.include({ status: 200 });
  });

  it('a worker lays out what the server asks for, the same as anywhere', async () => {
    const layouts = new Layouts();
    try {
      expect(await layouts.of('acme', chain(5))).to.deep.equal(layOut(chain(5)));
    } finally {
      await layouts.close();
    }
  });
});
