import { expect } from 'chai';
import { Backoff } from '../../../pkg/kube/backoff.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

describe('back-off of an informer', () => {
  const waits = (backoff: Backoff, count: number): number[] => Array.from({ length: count }, () => backoff.next());

  it('doubles from 0.8 s, with up to as much again by chance, to 30 s at most', () => {
    expect(waits(new Backoff(new FakeClock(), () => 0), 8)).eql([
      800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000,
    ]);
    expect(waits(new Backoff(new FakeClock(), () => 0.5), 6)).eql([1_200, 2_400, 4_800, 9_600, 19_200, 30_000]);
  });

  it('starts over after two quiet minutes, not before', async () => {
    const clock = new FakeClock();
    const backoff = new Backoff(clock, () => 0);
    waits(backoff, 2);
    await clock.advance(1_600 + 120_000);
    expect(backoff.next()).equal(3_200);
    await clock.advance(3_200 + 120_001);
    expect(backoff.next()).equal(800);
  });
});
