import { expect } from 'chai';
import { DequeueLanes } from '../../../pkg/engine/loop/dequeue-lanes.ts';
import type { DequeueLane } from '../../../pkg/store/runs/dequeue-lane.ts';

const nothing = {
  underWay: () => 0,
  began: () => undefined,
  ended: () => undefined,
  settled: () => Promise.resolve(),
  stopped: () => false,
};

describe('claim lanes', () => {
  it('claim side by side, and end when they find few', async () => {
    const claims: { lane: DequeueLane | null; beside: number }[] = [];
    const ended: (DequeueLane | null)[] = [];
    let beside = 0;
    const lanes = new DequeueLanes({
      ...nothing,
      ended: (lane) => ended.push(lane),
      room: () => 500,
      step: async (lane, limit) => {
        claims.push({ lane, beside: ++beside });
        await new Promise(setImmediate);
        beside--;
        return claims.length > 6 ? 10 : limit;
      },
    });
    await lanes.run(60_000);
    expect(new Set(claims.map((one) => one.lane))).to.deep.equal(new Set([0, 1]));
    expect(Math.max(...claims.map((one) => one.beside))).to.equal(2);
    expect(ended, 'who waits for a batch of theirs hears of it').to.have.members([0, 1]);
  });

  it('together never take more than there is room for; a lane without room waits until something has ended', async () => {
    let underWay = 0;
    let most = 0;
    let waited = 0;
    let claimed = 0;
    const lanes = new DequeueLanes({
      ...nothing,
      room: (claiming) => 1_000 - underWay - claiming,
      step: async (_lane, limit) => {
        await new Promise(setImmediate);
        underWay += limit;
        claimed += limit;
        most = Math.max(most, underWay);
        return limit;
      },
      settled: async () => {
        waited++;
        underWay = Math.max(0, underWay - 300);
        await new Promise(setImmediate);
      },
      stopped: () => claimed > 5_000,
    });
    await lanes.run(60_000);
    expect(most).to.be.at.most(1_000);
    expect(waited).to.be.greaterThan(0);
  });

  it('a lane that fails ends with its error when the other has ended', async () => {
    let ended = 0;
    const lanes = new DequeueLanes({
      ...nothing,
      room: () => 500,
      step: async (lane) => {
        if (lane === 0) throw new Error('the database is gone');
        await new Promise(setImmediate);
        ended++;
        return 0;
      },
    });
    const error = await lanes.run(60_000).catch((thrown: Error) => thrown);
    expect(error).to.have.property('message', 'the database is gone');
    expect(ended).to.equal(1);
  });

  /** What a look at `due` runs does, each lane by its name, while `underWay` effects are under way from the `from`th batch on. */
  const played = async (due: number, underWay: number, from = 0): Promise<{ said: string[]; worked: number }> => {
    const said: string[] = [];
    let left = due;
    let batches = 0;
    const lanes = new DequeueLanes({
      ...nothing,
      underWay: () => (batches >= from ? underWay : 0),
      began: () => said.push('began'),
      ended: (lane) => said.push(`ended ${lane}`),
      room: () => 200,
      step: async (lane, limit) => {
        batches++;
        said.push(`${lane}`);
        await new Promise(setImmediate);
        const taken = Math.min(limit, left);
        left -= taken;
        return taken;
      },
    });
    return { worked: await lanes.work(200), said };
  };

  it('few runs are one batch, and no other is about to come', async () => {
    expect(await played(150, 1)).to.deep.equal({ worked: 150, said: ['null', 'ended null'] });
  });

  it('a backlog while effects are under way: each lane has accounts of its own', async () => {
    expect(await played(450, 1)).to.deep.equal({
      worked: 200,
      said: ['null', 'began', '0', '1', '0', 'ended 1', 'ended 0'],
    });
  });

  it('a backlog without effects: both lanes take any run, until one of them began an effect', async () => {
    expect((await played(500, 0)).said).to.deep.equal(['null', 'null', 'null', 'null']);
    expect((await played(5_000, 1, 3)).said, 'the turn goes on with lanes').to.deep.equal(['null', 'null', 'null']);
  });
});
