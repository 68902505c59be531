import { expect } from 'chai';
import { ForeignBusy, ForeignOverrun } from '../../../../pkg/base/foreign-bytes/overrun.ts';
import { layOut } from '../../../../pkg/mcp/pictures/lay-out.ts';
import { Layouts } from '../../../../pkg/mcp/pictures/layouts.ts';
import type { GraphShape } from '../../../../pkg/mcp/pictures/picture.ts';
import { quickLayout } from '../../../../pkg/mcp/pictures/quick-layout.ts';

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

  it('what had to wait too long is tried again, and says what to do', async () => {
    const pool = new Counting();
    const layouts = new Layouts(pool);
    pool.fails = new ForeignBusy('too much');
    const refused = await layouts.of('acme', chain(2)).then(
      () => ({ status: 200 }),
      (error: { status: number }) => error,
    );
    expect(refused).to.include({ status: 503 });
    pool.fails = undefined;
    expect(await layouts.of('acme', chain(2))).to.deep.equal(layOut(chain(2)));
  });

  it('what takes too much has a plainer picture, and takes it once, whatever its labels and order', async () => {
    const pool = new Counting();
    const layouts = new Layouts(pool);
    pool.fails = new ForeignOverrun('time');
    const other: GraphShape = { nodes: 4, edges: [...chain(4).edges].reverse().map(([from, to]) => [from, to, 7]) };
    for (const shape of [chain(4), chain(4), other])
      expect(await layouts.of('acme', shape)).to.deep.equal(quickLayout(shape));
    expect(pool.asked).to.have.length(1);
    pool.fails = new Error('dagre met what it can not lay out');
    expect(await layouts.of('acme', chain(6))).to.deep.equal(quickLayout(chain(6)));
    pool.fails = undefined;
    expect(await layouts.of('acme', chain(5)), 'another graph').to.deep.equal(layOut(chain(5)));
  });

  it('it is still known once 200 other layouts are kept', async () => {
    const pool = new Counting();
    const layouts = new Layouts(pool);
    pool.fails = new ForeignOverrun('time');
    await layouts.of('acme', chain(4));
    pool.fails = undefined;
    for (let at = 0; at < 201; at++) await layouts.of('acme', { nodes: 1, edges: [[0, 0, at]] });
    const before = pool.asked.length;
    await layouts.of('acme', chain(4));
    expect(pool.asked.length).to.equal(before);
  });

  it('a workspace whose graphs took too much has plainer pictures for ten minutes, small graphs and others not', async () => {
    const pool = new Counting();
    let now = 0;
    const layouts = new Layouts(pool, { now: () => now });
    const shape = chain(40);
    pool.fails = new ForeignOverrun('time');
    for (const nodes of [51, 52, 53]) await layouts.of('hostile', chain(nodes));
    pool.fails = undefined;
    expect(await layouts.of('hostile', shape)).to.deep.equal(quickLayout(shape));
    expect(await layouts.of('hostile', chain(5))).to.deep.equal(layOut(chain(5)));
    expect(await layouts.of('acme', chain(41))).to.deep.equal(layOut(chain(41)));
    now = 600_000;
    expect(await layouts.of('hostile', shape)).to.deep.equal(layOut(shape));
  });

  it('a graph that a worker does not finish in its time is drawn nevertheless', async () => {
    const layouts = new Layouts(undefined, { withinMs: 1 });
    const edges = Array.from({ length: 400 }, (_, at): [number, number, number] => [
      at % 100,
      100 + ((at * 37) % 100),
      1,
    ]);
    const shape = { nodes: 200, edges };
    try {
      expect(await layouts.of('acme', shape)).to.deep.equal(quickLayout(shape));
    } finally {
      await layouts.close();
    }
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
