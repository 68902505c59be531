import { expect } from 'chai';
import { ClaimLanes } from '../../../pkg/engine/loop/claim-lanes.ts';
import type { ClaimLane } from '../../../pkg/store/runs/claim-lane.ts';

const nothing = { ended: () => undefined, settled: () => Promise.resolve(), stopped: () => false };

describe('claim lanes', () => {
  it('claim side by side, and end when they find few', async () => {
    const claims: { lane: ClaimLane; beside: number }[] = [];
    const ended: ClaimLane[] = [];
    let beside = 0;
    const lanes = new ClaimLanes({
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
    const lanes = new ClaimLanes({
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
    const lanes = new ClaimLanes({
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
});
