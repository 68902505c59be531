import { expect } from 'chai';
import { leftUnderWay, Rollout, type UnderWay } from '../../../pkg/controllers/workspace/rollout.ts';
import { formatTime } from '../../../pkg/kube/time.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

function fixture(count: number, maxUnavailablePercent: number, left: (now: number) => UnderWay[] = () => []) {
  const clock = new FakeClock();
  const pods = new Map(Array.from({ length: count }, (_, at) => [`w${at}`, { key: `w${at}`, ending: false }]));
  const rollout = new Rollout({
    clock,
    maxUnavailablePercent,
    pods: () => pods.values(),
    left: () => left(clock.now()),
  });
  const admitted = (): string[] =>
    Array.from({ length: count }, (_, at) => `w${at}`).filter((key) => rollout.admit(key));
  return { clock, pods, rollout, admitted };
}

describe('rollout of a new executor template', () => {
  it('replaces the configured share at a time, and the next as one is back', () => {
    const { pods, rollout, admitted } = fixture(30, 10);
    expect(admitted()).to.deep.equal(['w0', 'w1', 'w2']);
    // Gone and not yet made again: still away, and still counted among all.
    pods.delete('w0');
    expect(admitted()).to.deep.equal(['w0', 'w1', 'w2']);
    rollout.back('w1');
    expect(rollout.admit('w5')).to.equal(true);
    expect(rollout.admit('w6')).to.equal(false);
  });

  it('replaces one at a time where the share is less than one', () => {
    expect(fixture(3, 10).admitted()).to.deep.equal(['w0']);
    expect(fixture(1, 1).admitted()).to.deep.equal(['w0']);
  });

  it('counts executors that end for another reason as away', () => {
    const { pods, admitted } = fixture(20, 10);
    for (const key of ['w8', 'w9']) pods.set(key, { key, ending: true });
    expect(admitted()).to.deep.equal([]);
  });

  it('a new leader counts what the one before left under way, as long as that one would have', async () => {
    const { clock, pods, rollout, admitted } = fixture(31, 10, (now) => [
      { key: 'w7', since: now - 1_000 },
      { key: 'gone', since: now - 1_000 },
      { key: 'long', since: now - 301_000 },
    ]);
    // Its old pod is gone and the new one is not there yet, or does not work yet.
    pods.delete('w7');
    expect(rollout.admit('w0')).to.equal(true);
    expect(rollout.admit('w1')).to.equal(false);
    rollout.back('w7');
    expect(rollout.admit('w1')).to.equal(true);
    await clock.advance(299_500);
    expect(admitted()).to.deep.equal(['w0', 'w1', 'w2']);
  });

  it('what is back before the first decision is not under way', () => {
    const { rollout, admitted } = fixture(10, 10, (now) => [{ key: 'w3', since: now }]);
    rollout.back('w3');
    expect(admitted()).to.deep.equal(['w0']);
  });

  it('knows from the status which executors were ending or starting, and since when', () => {
    const workspace = (name: string, state: string) => ({
      apiVersion: 'outrider.dev/v1alpha1',
      kind: 'Workspace',
      metadata: { name, namespace: 'outrider' },
      status: {
        executor: { state },
        conditions: [{ type: 'ExecutorAvailable', status: 'Unknown', lastTransitionTime: formatTime(60_000) }],
      },
    });
    const all = ['Idle', 'Draining', 'Running', 'Starting'].map((state) => workspace(state.toLowerCase(), state));
    const fresh = { ...workspace('fresh', ''), status: undefined };
    expect(leftUnderWay([...all, fresh])).to.deep.equal([
      { key: 'outrider/draining', since: 60_000 },
      { key: 'outrider/starting', since: 60_000 },
    ]);
  });

  it('goes on after a while where a replaced executor does not come back', async () => {
    const { clock, admitted, rollout } = fixture(3, 10);
    expect(admitted()).to.deep.equal(['w0']);
    await clock.advance(299_000);
    expect(rollout.admit('w1')).to.equal(false);
    await clock.advance(2_000);
    expect(rollout.admit('w1')).to.equal(true);
  });
});
