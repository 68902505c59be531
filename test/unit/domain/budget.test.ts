import { expect } from 'chai';
import fc from 'fast-check';
import { ACTIONS, BUDGET_ACTIONS, isRaisable } from '../../../pkg/domain/actions.ts';
import { DEFAULT_RAMP, effectiveLimit, rampFactor, weekendLimit } from '../../../pkg/domain/budget.ts';
import {
  localDate,
  nextFreeDate,
  nextLocalMidnight,
  remaining,
  rollWindow,
  usedInWeek,
} from '../../../pkg/domain/budget-window.ts';
import { ACCOUNT_TIERS } from '../../../pkg/domain/vocabulary.ts';

describe('budgets', () => {
  it('ramp-up: floor of limit times a share that grows from 0.2 to 1 in 14 days, at least 1', () => {
    const day = (days: number | null) => effectiveLimit('connection_request', 'basic', null, rampFactor(days), 1).day;
    expect([null, 0, 7, 13, 14, 400].map(day)).to.deep.equal([3, 3, 9, 14, 15, 15]);
    expect(effectiveLimit('connection_request_with_note', 'basic', null, rampFactor(0), 1)).to.deep.equal({
      day: 1,
      week: 1,
    });
    expect(rampFactor(3, null)).to.equal(1);
  });

  it('a share that binary fractions miss by a hair is not rounded down', () => {
    expect(effectiveLimit('profile_view', 'sales', null, 1, 0.57).day).to.equal(57);
  });

  it('Saturday and Sunday get their part of a day, at least 1 unless it is 0', () => {
    expect([5, 6, 7].map((weekday) => weekendLimit(15, weekday, 0.5))).to.deep.equal([15, 7, 7]);
    expect([
      weekendLimit(1, 6, 0.1),
      weekendLimit(15, 6, 0),
      weekendLimit(0, 6, 1),
      weekendLimit(15, 6, null),
    ]).to.deep.equal([1, 0, 0, 15]);
  });

  it('limit 0 or health 0 means 0', () => {
    expect(effectiveLimit('inmail', 'basic', null, 1, 1).day).to.equal(0);
    expect(effectiveLimit('message', 'sales', { day: 0, week: 0 }, 1, 1)).to.deep.equal({ day: 0, week: 0 });
    expect(effectiveLimit('message', 'sales', null, 1, 0)).to.deep.equal({ day: 0, week: 0 });
  });

  it('a setting lowers the limit, the tier and the hard ceiling bound it', () => {
    expect(effectiveLimit('connection_request', 'sales', { day: 500, week: 900 }, 1, 1)).to.deep.equal({
      day: 25,
      week: 150,
    });
    expect(effectiveLimit('connection_request', 'sales', { day: 5, week: 20 }, 1, 1)).to.deep.equal({
      day: 5,
      week: 20,
    });
    expect(effectiveLimit('profile_view', 'sales', { day: 500, week: null }, 1, 0.5)).to.deep.equal({
      day: 50,
      week: null,
    });
  });

  it('the owner of a mailbox raises its limit above the default, up to 2000', () => {
    const day = (given: number | null) =>
      effectiveLimit('mail', 'basic', given === null ? null : { day: given }, 1, 1).day;
    expect([null, 120, 2000, 5000, 0].map(day)).to.deep.equal([40, 120, 2000, 2000, 0]);
  });

  it('property: never above the tier (of mail the ceiling), never negative, growing with the ramp', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...BUDGET_ACTIONS),
        fc.constantFrom(...ACCOUNT_TIERS),
        fc.nat(300),
        fc.nat(30),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (action, tier, day, since, health) => {
          const given = { day, week: null };
          const now = effectiveLimit(action, tier, given, rampFactor(since, DEFAULT_RAMP), health);
          const later = effectiveLimit(action, tier, given, rampFactor(since + 1, DEFAULT_RAMP), health);
          const most = isRaisable(action) ? ACTIONS[action].ceiling?.day : ACTIONS[action].budgets[tier].day;
          expect(now.day).to.be.within(0, Math.min(day, most ?? 0));
          expect(later.day).to.be.at.least(now.day);
        },
      ),
    );
  });

  it('the week is this local date and the six before; the day is the head date', () => {
    const window = { headDate: '2026-03-02', used: [3, 0, 0, 0, 0, 0, 7] };
    expect(usedInWeek(window)).to.equal(10);
    expect(remaining(window, { day: 5, week: 12 })).to.equal(2);
    expect(remaining(window, { day: 5, week: 11 })).to.equal(1);
    const next = rollWindow(window.used, window.headDate, '2026-03-03');
    expect(next.used).to.deep.equal([0, 3, 0, 0, 0, 0, 0]);
    expect(remaining(next, { day: 5, week: 11 })).to.equal(5);
  });

  it('an earlier date (changed timezone) frees nothing; a far one clears the window', () => {
    expect(rollWindow([5, 1], '2026-03-02', '2026-03-01')).to.deep.equal({
      headDate: '2026-03-02',
      used: [5, 1, 0, 0, 0, 0, 0],
    });
    expect(rollWindow([5, 1], '2026-03-02', '2026-04-02').used).to.deep.equal([0, 0, 0, 0, 0, 0, 0]);
  });

  it('property: rolling day by day equals rolling at once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(50), { minLength: 7, maxLength: 7 }),
        fc.nat(10),
        fc.nat(10),
        (used, first, second) => {
          const date = (days: number) => new Date(Date.UTC(2026, 1, 24 + days)).toISOString().slice(0, 10);
          const step = rollWindow(used, date(0), date(first));
          expect(rollWindow(step.used, step.headDate, date(first + second))).to.deep.equal(
            rollWindow(used, date(0), date(first + second)),
          );
        },
      ),
    );
  });

  it('says on which date a unit is free again', () => {
    expect(nextFreeDate({ headDate: '2026-03-02', used: [5] }, { day: 5, week: null })).to.equal('2026-03-03');
    expect(nextFreeDate({ headDate: '2026-03-02', used: [0, 0, 10] }, { day: 5, week: 10 })).to.equal('2026-03-07');
    expect(nextFreeDate({ headDate: '2026-03-02', used: [] }, { day: 0, week: null })).to.equal(null);
  });

  it('local dates are those of the account, on days of 23 and 25 hours too', () => {
    expect(localDate(Date.parse('2026-03-28T23:30:00Z'), 'Europe/Berlin')).to.equal('2026-03-29');
    expect(localDate(Date.parse('2026-03-29T21:59:59Z'), 'Europe/Berlin')).to.equal('2026-03-29');
    expect(localDate(Date.parse('2026-03-29T22:00:00Z'), 'Europe/Berlin')).to.equal('2026-03-30');
    expect(nextLocalMidnight(Date.parse('2026-10-25T10:00:00Z'), 'Europe/Berlin')).to.equal(
      Date.parse('2026-10-25T23:00:00Z'),
    );
  });
});
