import { expect } from 'chai';
import fc from 'fast-check';
import type { BusinessHours } from '../../../pkg/domain/business-hours.ts';
import { behindCrowd, hourShare, openTime } from '../../../pkg/domain/hour-share.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const JANUARY = Date.UTC(2026, 0, 5);
const OFFICE: BusinessHours = { timezoneMode: 'account', days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18 };
const LEADS: BusinessHours = { ...OFFICE, timezoneMode: 'lead' };

describe('the share of an hour', () => {
  it('is twice what the day gives an open hour', () => {
    const office = { hoursPerDay: 9, daysPerWeek: 5 };
    const cases: [day: number, week: number | null, most: number, withinMinutes: number, why: string][] = [
      [25, 150, 5, 60, 'requests of a sales account'],
      [15, 80, 3, 60, 'requests of a basic account'],
      [100, null, 22, 60, 'profile views'],
      [9, null, 2, 60, 'one for each open hour'],
      [6, null, 1, 45, 'fewer than the hours: not two at once, and the day can be used up'],
      [3, null, 1, 60, 'few a day'],
      [60, 100, 4, 60, 'a week that is smaller than its days'],
      [0, null, 1, 60, 'nothing to share'],
    ];
    for (const [day, week, most, withinMinutes, why] of cases) {
      expect(hourShare({ day, week }, office), why).to.deep.equal({ most, withinMs: withinMinutes * MINUTE });
    }
  });

  it('open time is where the hours of account and lead meet, else the account alone', () => {
    const berlin = { account: OFFICE, accountTimezone: 'Europe/Berlin', campaign: LEADS };
    const meet = (leadTimezone: string | null): number => openTime({ ...berlin, leadTimezone }, JANUARY).hoursPerDay;
    expect(meet('Europe/Berlin')).to.equal(9);
    expect(meet(null)).to.equal(9);
    expect(meet('America/New_York')).to.equal(3);
    expect(meet('Asia/Tokyo'), 'Tokyo leaves at ten').to.equal(1);
    expect(meet('Pacific/Auckland'), 'never').to.equal(9);
    expect(openTime({ ...berlin, campaign: null, leadTimezone: null }, JANUARY)).to.deep.equal({
      hoursPerDay: 9,
      daysPerWeek: 5,
    });
    const weekend = { ...berlin, campaign: { ...LEADS, days: [5, 6] }, leadTimezone: 'Europe/Berlin' };
    expect(openTime(weekend, JANUARY).daysPerWeek).to.equal(1);
  });

  it('leads are placed where the crowd allows: no 60 minutes hold too many, and nobody is put off without need', () => {
    const wishes = fc.array(fc.integer({ min: 0, max: 600 }), { maxLength: 60 });
    fc.assert(
      fc.property(wishes, fc.integer({ min: 1, max: 6 }), (minutes, most) => {
        const share = { most, withinMs: HOUR };
        const times: number[] = [];
        for (const minute of minutes) {
          let at = minute * MINUTE;
          for (let later = behindCrowd(times, at, share); later !== null; later = behindCrowd(times, at, share)) {
            const between = Math.floor((at + later) / 2);
            expect(behindCrowd(times, between, share), 'the way to the next try is crowded too').not.to.equal(null);
            expect(later).to.be.greaterThan(at);
            at = later;
          }
          times.push(at);
          times.sort((a, b) => a - b);
        }
        for (const [index, at] of times.entries()) {
          const next = times[index + most];
          if (next !== undefined) expect(next - at).to.be.at.least(HOUR);
        }
      }),
      { numRuns: 200 },
    );
  });
});
