import { expect } from 'chai';
import { FakeClock } from '../../../pkg/base/clock.ts';
import { Rollout } from '../../../pkg/controllers/workspace/rollout.ts';

function stage(count: number, maxUnavailablePercent: number) {
  const clock = new FakeClock();
  const pods = new Map(Array.from({ length: count }, (_, at) => [`w${at}`, { key: `w${at}`, ending: false }]));
  const rollout = new Rollout({ clock, maxUnavailablePercent, pods: () => pods.values() });
  const admitted = (): string[] =>
    Array.from({ length: count }, (_, at) => `w${at}`).filter((key) => rollout.admit(key));
  return { clock, pods, rollout, admitted };
}

describe('rollout of a new executor template', () => {
  it('replaces the configured share at a time, and the next as one is back', () => {
    const { pods, rollout, admitted } = stage(30, 10);
    expect(admitted()).to.deep.equal(['w0', 'w1', 'w2']);
    // Gone and not yet made again: still away, and still counted among all.
    pods.delete('w0');
    expect(admitted()).to.deep.equal(['w0', 'w1', 'w2']);
    rollout.back('w1');
    expect(rollout.admit('w5')).to.equal(true);
    expect(rollout.admit('w6')).to.equal(false);
  });

  it('replaces one at a time where the share is less than one', () => {
    expect(stage(3, 10).admitted()).to.deep.equal(['w0']);
    expect(stage(1, 1).admitted()).to.deep.equal(['w0']);
  });

  it('counts executors that end for another reason as away', () => {
    const { pods, admitted } = stage(20, 10);
    for (const key of ['w8', 'w9']) pods.set(key, { key, ending: true });
    expect(admitted()).to.deep.equal([]);
  });

  it('goes on after a while where a replaced executor does not come back', async () => {
    const { clock, admitted, rollout } = stage(3, 10);
    expect(admitted()).to.deep.equal(['w0']);
    await clock.advance(299_000);
    expect(rollout.admit('w1')).to.equal(false);
    await clock.advance(2_000);
    expect(rollout.admit('w1')).to.equal(true);
  });
});
