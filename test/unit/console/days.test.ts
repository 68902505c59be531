import { expect } from 'chai';
import fc from 'fast-check';
import { clockOf, dayOf, daysOfMonth, monthOf, startOf } from '../../../pkg/console/screens/calendar/days.ts';

const months = fc
  .record({ year: fc.integer({ min: 1990, max: 2090 }), month: fc.integer({ min: 1, max: 12 }) })
  .map(({ year, month }) => `${year}-${String(month).padStart(2, '0')}`);

describe('days of the calendar of posts', () => {
  it('a month is shown in whole weeks from Monday on, each of its days once and in a row', () => {
    fc.assert(
      fc.property(months, (month) => {
        const days = daysOfMonth(month);
        expect(days.length % 7).to.equal(0);
        expect(startOf(days[0] ?? '').getDay(), 'begins on a Monday').to.equal(1);
        expect(days).to.deep.equal([...new Set(days)].sort());
        const [year = 0, number = 1] = month.split('-').map(Number);
        expect(days.filter((day) => day.startsWith(month))).to.have.length(new Date(year, number, 0).getDate());
      }),
    );
  });

  it('months before and after cross the years', () => {
    expect([monthOf('2026-01-15', -1), monthOf('2026-12-31', 1), monthOf('2026-03-31')]).to.deep.equal([
      '2025-12',
      '2027-01',
      '2026-03',
    ]);
  });

  it('a moment has the day and the hour of the clock on the wall', () => {
    const moment = new Date(2026, 2, 5, 9, 7);
    expect([dayOf(moment), clockOf(moment)]).to.deep.equal(['2026-03-05', '09:07']);
    expect(dayOf(startOf('2026-03-29'))).to.equal('2026-03-29');
  });
});
