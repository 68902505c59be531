import { expect } from 'chai';
import fc from 'fast-check';
import { FakeClock } from '../../../pkg/base/clock.ts';
import type { ProductClock } from '../../../pkg/base/product-clock.ts';
import { beginsAt, commitsAt, horizon, isLate } from '../../../pkg/engine/look-ahead.ts';

const MINUTE = 60_000;
const minuteOf = (at: number): number => Math.floor(at / MINUTE);
const clockAt = (now: number, steady: boolean): ProductClock =>
  Object.assign(new FakeClock(now), {
    hold: () => Promise.resolve(() => undefined),
    close: () => undefined,
    ...(steady ? { steady: true as const } : {}),
  });
const instants = fc.integer({ min: MINUTE, max: Date.UTC(2100, 0, 1) });

describe('looking ahead', () => {
  it('what a batch takes is due within four tenths of a second and within its minute', () => {
    fc.assert(
      fc.property(instants, (now) => {
        const until = horizon(clockAt(now, true));
        expect(until).to.be.within(now, now + 400);
        expect(minuteOf(until)).to.equal(minuteOf(now));
      }),
    );
  });

  it('when work on something begins, a batch takes it, and before that there is nothing to wake up for', () => {
    fc.assert(
      fc.property(instants, (dueAt) => {
        const begins = beginsAt(clockAt(0, true), dueAt);
        expect(begins).to.be.at.most(dueAt);
        expect(minuteOf(begins)).to.equal(minuteOf(dueAt));
        expect(horizon(clockAt(begins, true))).to.be.at.least(dueAt);
      }),
    );
  });

  it('late is who is later than promised, on a clock that passes steadily', () => {
    expect([1_000, 1_100, 1_101].map((now) => isLate(clockAt(now, true), 1_000))).to.deep.equal([false, false, true]);
    expect(isLate(clockAt(9_000, false), 1_000)).to.equal(false);
  });

  it('what will leave is committed a tenth of a second before, at most three, and others of that moment with it', () => {
    fc.assert(
      fc.property(instants, (dueAt) => {
        const commits = commitsAt(clockAt(0, true), dueAt);
        expect(dueAt - commits).to.be.within(100, 299);
        expect(commitsAt(clockAt(0, true), commits + 100)).to.equal(commits);
      }),
    );
  });

  it('a clock that can be held or jump is never ahead of', () => {
    fc.assert(
      fc.property(instants, (now) => {
        expect(horizon(clockAt(now, false))).to.equal(now);
        expect(beginsAt(clockAt(0, false), now)).to.equal(now);
        expect(commitsAt(clockAt(0, false), now)).to.equal(now);
      }),
    );
  });
});
