import { expect } from 'chai';
import fc from 'fast-check';
import type { ProductClock } from '../../../pkg/base/product-clock.ts';
import {
  beginsAt,
  commitsAt,
  dispatchPatienceMs,
  horizon,
  isLate,
  spreadOf,
} from '../../../pkg/engine/loop/look-ahead.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

const MINUTE = 60_000;
const minuteOf = (at: number): number => Math.floor(at / MINUTE);
const clockAt = (now: number, steady: boolean): ProductClock =>
  Object.assign(new FakeClock(now), {
    hold: () => Promise.resolve(() => undefined),
    close: () => undefined,
    ...(steady ? { steady: true as const } : {}),
  });
const instants = fc.integer({ min: MINUTE, max: Date.UTC(2100, 0, 1) });
/** A workspace's part of the spread. */
const spreads = fc.string().map(spreadOf);

describe('looking ahead', () => {
  it('what a batch takes is due within 650 ms and within its minute', () => {
    fc.assert(
      fc.property(instants, spreads, (now, spread) => {
        const until = horizon(clockAt(now, true), spread);
        expect(until).to.be.within(now, now + 650);
        expect(minuteOf(until)).to.equal(minuteOf(now));
      }),
    );
  });

  it('when work on something begins, a batch takes it, and before that there is nothing to wake up for', () => {
    fc.assert(
      fc.property(instants, spreads, (dueAt, spread) => {
        const begins = beginsAt(clockAt(0, true), dueAt, spread);
        expect(begins).to.be.at.most(dueAt);
        expect(minuteOf(begins)).to.equal(minuteOf(dueAt));
        expect(horizon(clockAt(begins, true), spread)).to.be.at.least(dueAt);
      }),
    );
  });

  it('workspaces begin and commit apart what they do at one moment', () => {
    const dueAt = 90_000;
    const spread = Array.from({ length: 9 }, (_, index) => spreadOf(`workspace-${index}`));
    const begins = spread.map((part) => beginsAt(clockAt(0, true), dueAt, part));
    const commits = spread.map((part) => commitsAt(clockAt(0, true), dueAt, part));
    for (const moments of [begins, commits]) {
      expect(new Set(moments).size).to.equal(9);
      expect(Math.max(...moments) - Math.min(...moments)).to.be.above(75);
    }
  });

  it('late is who is later than promised, on a clock that passes steadily', () => {
    expect([1_000, 1_100, 1_101].map((now) => isLate(clockAt(now, true), 1_000))).to.deep.equal([false, false, true]);
    expect(isLate(clockAt(9_000, false), 1_000)).to.equal(false);
  });

  it('what waits for others before its commit has time for the wait and for the commit', () => {
    const patience = [700, 919, 920, 999, 1_100, 1_101].map((now) => dispatchPatienceMs(clockAt(now, true), 1_000));
    expect(patience).to.deep.equal([40, 40, 0, 0, 0, 60]);
    expect(dispatchPatienceMs(clockAt(700, false), 1_000)).to.equal(0);
  });

  it('what will leave is committed a tenth of a second before, at most three, and others of that moment with it', () => {
    fc.assert(
      fc.property(instants, spreads, (dueAt, spread) => {
        const commits = commitsAt(clockAt(0, true), dueAt, spread);
        expect(dueAt - commits).to.be.within(100, 299);
        expect(commitsAt(clockAt(0, true), commits + 100, spread)).to.equal(commits);
      }),
    );
  });

  it('a clock that can be held or jump is never ahead of', () => {
    fc.assert(
      fc.property(instants, spreads, (now, spread) => {
        expect(horizon(clockAt(now, false), spread)).to.equal(now);
        expect(beginsAt(clockAt(0, false), now, spread)).to.equal(now);
        expect(commitsAt(clockAt(0, false), now, spread)).to.equal(now);
      }),
    );
  });
});
