import { expect } from 'chai';
import { Waiting } from '../../../pkg/base/errors.ts';
import { Capacity } from '../../../pkg/controllers/wake/capacity.ts';
import { StartGate } from '../../../pkg/controllers/wake/start-gate.ts';
import { WakeTurns } from '../../../pkg/controllers/wake/wake-turns.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

class ProductClock extends FakeClock {
  hold = (): Promise<() => void> => Promise.resolve(() => undefined);
  close(): void {}
}

function fixture(max: number, started: number[] = []) {
  const real = new FakeClock();
  const pods = new Set<string>();
  const capacity = new Capacity({ clock: real, max, pods: () => pods });
  const onStarted = (ms: number): void => void started.push(ms);
  const gate = new StartGate({ clocks: { real, product: new ProductClock() }, random: () => 0.5, capacity, onStarted });
  return { real, pods, gate };
}

function refusal(start: () => void): string | null {
  try {
    start();
    return null;
  } catch (error) {
    if (error instanceof Waiting) return error.reason;
    throw error;
  }
}

describe('start gate', () => {
  it('a start takes its place before its pod shows in the cache, and gives it back when it was not made', () => {
    const { pods, gate } = fixture(2);
    expect(refusal(() => gate.admit('a'))).to.equal(null);
    expect(refusal(() => gate.admit('b'))).to.equal(null);
    expect(refusal(() => gate.admit('c'))).to.equal('NoPlace');
    pods.add('a');
    expect(gate.full).to.equal(true);
    gate.notMade('workspace-b', 'b');
    expect(gate.room).to.equal(1);
    expect(refusal(() => gate.admit('c'))).to.equal(null);
    expect(gate.room).to.equal(0);
  });

  it('a place whose pod never shows is free again after a while', async () => {
    const { real, gate } = fixture(1);
    gate.admit('a');
    await real.advance(30_000);
    expect(gate.full).to.equal(true);
    await real.advance(1_000);
    expect(gate.full).to.equal(false);
  });

  it('without a bound only the rate counts: 20 at once, then 10 a second', async () => {
    const { real, gate } = fixture(0);
    const start = (count: number) =>
      Array.from({ length: count }, (_, at) => refusal(() => gate.admit(`p${at}`))).filter((one) => one === null)
        .length;
    expect(start(100)).to.equal(20);
    await real.advance(1_000);
    expect(start(100)).to.equal(10);
    expect(refusal(() => gate.admit('late'))).to.equal('StartRateLimited');
  });

  it('10,000 that wake at once are all served in their turn, at most 40 at a time, whatever some of them do', async () => {
    const { real, pods, gate } = fixture(40);
    const turns = new WakeTurns();
    const broken = new Set(Array.from({ length: 60 }, (_, at) => `w${at * 3}`));
    const ends = new Map<string, number>();
    const served: string[] = [];
    const start = (key: string): void => {
      if (refusal(() => gate.admit(key)) !== null) return;
      if (broken.has(key)) {
        gate.notMade(key, key);
        return;
      }
      pods.add(key);
      ends.set(key, real.now() + 3_000);
      served.push(key);
    };
    let waiting = Array.from({ length: 10_000 }, (_, at) => `w${at}`);
    let [most, seconds] = [0, 0];
    for (; served.length < 10_000 - broken.size && seconds < 1_500; seconds++) {
      const over = [...ends].filter(([, end]) => end <= real.now());
      for (const [pod] of over) ends.delete(pod) && pods.delete(pod);
      for (const key of turns.next(waiting.slice(0, 1_000), gate.room, real.now())) start(key);
      waiting = waiting.filter((key) => !pods.has(key));
      most = Math.max(most, pods.size);
      await real.advance(1_000);
    }
    expect(new Set(served).size).to.equal(10_000 - broken.size);
    expect(served).to.have.length(10_000 - broken.size);
    expect(most).to.be.lessThanOrEqual(40);
    expect(served.indexOf('w1')).to.be.lessThan(40);
  });

  it('without room the newcomers are brought once, so that they say what they wait for', () => {
    const turns = new WakeTurns();
    const waiting = Array.from({ length: 25 }, (_, at) => `w${at}`);
    expect([1, 2, 3, 4].map((now) => turns.next(waiting, 0, now).length)).to.deep.equal([10, 10, 5, 0]);
    expect(turns.next(waiting, 2, 5)).to.deep.equal(['w0', 'w1']);
  });

  it('a start is measured from making the pod to its first claim, once; what was not made is no start', async () => {
    const started: number[] = [];
    const { real, gate } = fixture(0, started);
    await gate.hold('acme');
    await real.advance(1_250);
    gate.claimed('acme');
    gate.claimed('acme');
    await gate.hold('acme');
    gate.notMade('acme', 'pod');
    gate.claimed('acme');
    gate.claimed('other');
    expect(started).to.deep.equal([1_250]);
  });
});
