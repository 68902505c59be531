import { expect } from 'chai';
import fc from 'fast-check';
import {
  type BusinessHours,
  DEFAULT_BUSINESS_HOURS,
  isOpen,
  jitteredOpening,
  nextOpening,
  nextSendOpening,
  OPENING_SPREAD_MS,
  spreadOpening,
} from '../../../pkg/domain/business-hours.ts';
import { firstTimezone, instantOf } from '../../../pkg/domain/local-time.ts';

const at = (text: string) => Date.parse(text);
const hours = (over: Partial<BusinessHours> = {}): BusinessHours => ({ ...DEFAULT_BUSINESS_HOURS, ...over });
const DAY = at('2026-03-29T00:00:00Z') / 86_400_000;
const everyDay = [1, 2, 3, 4, 5, 6, 7];

describe('business hours', () => {
  it('an open instant stays, a closed one moves to the next opening', () => {
    expect(nextOpening(at('2026-03-04T10:00:00Z'), hours(), 'Europe/Berlin')).to.equal(at('2026-03-04T10:00:00Z'));
    expect(nextOpening(at('2026-03-04T05:00:00Z'), hours(), 'Europe/Berlin')).to.equal(at('2026-03-04T08:00:00Z'));
    expect(nextOpening(at('2026-03-06T18:00:00Z'), hours(), 'Europe/Berlin')).to.equal(at('2026-03-09T08:00:00Z'));
  });

  it('daylight saving: the opening moves with the wall clock, on days of 23 and 25 hours too', () => {
    expect(nextOpening(at('2026-03-27T18:00:00Z'), hours(), 'Europe/Berlin')).to.equal(at('2026-03-30T07:00:00Z'));
    expect(nextOpening(at('2026-10-23T18:00:00Z'), hours(), 'Europe/Berlin')).to.equal(at('2026-10-26T08:00:00Z'));
    const night = hours({ days: everyDay, startHour: 2, endHour: 4 });
    expect(nextOpening(at('2026-03-28T23:30:00Z'), night, 'Europe/Berlin')).to.equal(at('2026-03-29T01:00:00Z'));
    expect(nextOpening(at('2026-10-24T23:30:00Z'), night, 'Europe/Berlin')).to.equal(at('2026-10-25T00:00:00Z'));
    expect(instantOf(DAY, 24, 'Europe/Berlin') - instantOf(DAY, 0, 'Europe/Berlin')).to.equal(23 * 3_600_000);
  });

  it('public holidays of holidayCountry are closed days, in the zone in which the hours are read', () => {
    const german = hours({ holidayCountry: 'DE' });
    const easter = nextOpening(at('2026-04-02T17:00:00Z'), german, 'Europe/Berlin');
    expect(easter, 'Thursday evening, then Good Friday to Easter Monday').to.equal(at('2026-04-07T07:00:00Z'));
    expect(isOpen(at('2026-04-06T23:30:00Z'), hours({ ...german, startHour: 0, days: everyDay }), 'UTC')).to.equal(
      false,
    );
    expect(
      isOpen(at('2026-04-06T23:30:00Z'), hours({ ...german, startHour: 0, days: everyDay }), 'Europe/Berlin'),
      'it is Tuesday in Berlin',
    ).to.equal(true);
    const mondays = hours({ days: [1], holidayCountry: 'DE' });
    expect(nextOpening(at('2028-12-19T12:00:00Z'), mondays, 'UTC'), 'Christmas and New Year are Mondays').to.equal(
      at('2029-01-08T09:00:00Z'),
    );
  });

  it('a week of holidays is waited for, never ignored', () => {
    const pair = { account: hours(), accountTimezone: 'UTC', campaign: hours({ days: [4, 5], holidayCountry: 'CN' }) };
    const opening = nextSendOpening(at('2026-09-25T18:00:00Z'), { ...pair, leadTimezone: null });
    expect(opening).to.deep.equal({ at: at('2026-10-08T09:00:00Z'), leadHoursIgnored: false });
  });

  it('hours that a day skips open on the next day that has them', () => {
    const gone = hours({ days: everyDay, startHour: 2, endHour: 3 });
    expect(nextOpening(at('2026-03-28T23:30:00Z'), gone, 'Europe/Berlin')).to.equal(at('2026-03-30T00:00:00Z'));
  });

  it('property: the next opening is open, not earlier, and nothing between is open', () => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'UTC',
      'America/Santiago',
    ];
    fc.assert(
      fc.property(
        fc.integer({ min: at('2011-12-20T00:00:00Z'), max: at('2030-01-01T00:00:00Z') }),
        fc.constantFrom(...zones),
        fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        fc.integer({ min: 0, max: 22 }),
        fc.integer({ min: 1, max: 4 }),
        (now, zone, days, startHour, length) => {
          const given = hours({ days, startHour, endHour: Math.min(24, startHour + length) });
          const opening = nextOpening(now, given, zone);
          expect(isOpen(opening, given, zone)).to.equal(true);
          expect(opening).to.be.at.least(now);
          for (let probe = now; probe < opening; probe += 1_800_000) {
            expect(isOpen(probe, given, zone), `${new Date(probe).toISOString()} is open`).to.equal(false);
          }
          if (opening > now) expect(isOpen(opening - 1, given, zone)).to.equal(false);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("the account's hours always count, the lead's where timezoneMode is lead", () => {
    const pair = {
      account: hours(),
      accountTimezone: 'Europe/Berlin',
      campaign: hours(),
      leadTimezone: 'America/New_York',
    };
    const opening = nextSendOpening(at('2026-03-04T05:00:00Z'), pair);
    expect(opening).to.deep.equal({ at: at('2026-03-04T14:00:00Z'), leadHoursIgnored: false });
    const own = nextSendOpening(at('2026-03-04T05:00:00Z'), { ...pair, campaign: hours({ timezoneMode: 'account' }) });
    expect(own.at).to.equal(at('2026-03-04T08:00:00Z'));
  });

  it('when the two never meet within 7 days the account alone decides, and says so', () => {
    const pair = {
      account: hours(),
      accountTimezone: 'Europe/Berlin',
      campaign: hours(),
      leadTimezone: 'Pacific/Honolulu',
    };
    expect(nextSendOpening(at('2026-03-04T05:00:00Z'), pair)).to.deep.equal({
      at: at('2026-03-04T08:00:00Z'),
      leadHoursIgnored: true,
    });
    const never = { ...pair, campaign: hours({ days: [] }) };
    expect(nextSendOpening(at('2026-03-04T05:00:00Z'), never).leadHoursIgnored).to.equal(true);
  });

  it('an unknown zone falls back: lead, setting, account, UTC', () => {
    expect(firstTimezone('Mars/Base', null, undefined, '', 'Europe/Berlin')).to.equal('Europe/Berlin');
    expect(firstTimezone('Mars/Base')).to.equal('UTC');
  });

  it('openings are spread by a seed, the same after a restart; an open instant is not moved', () => {
    const now = at('2026-03-08T12:00:00Z');
    const opening = nextOpening(now, hours(), 'UTC');
    const spread = Array.from(
      { length: 200 },
      (_unused, run) => jitteredOpening(now, opening, hours(), `run-${run}`) - opening,
    );
    expect(Math.max(...spread)).to.be.at.most(OPENING_SPREAD_MS);
    expect(Math.min(...spread)).to.be.at.least(0);
    expect(new Set(spread).size).to.be.greaterThan(150);
    expect(jitteredOpening(now, opening, hours(), 'run-1')).to.equal(opening + (spread[1] ?? -1));
    expect(jitteredOpening(now, now, hours(), 'run-1')).to.equal(now);
  });

  it('a spread opening is still within the hours of both, however short they meet', () => {
    const pair = {
      account: hours({ startHour: 10, endHour: 19, timezoneMode: 'account' }),
      accountTimezone: 'Asia/Kolkata',
      campaign: hours(),
      leadTimezone: 'America/New_York',
    };
    const now = at('2026-07-06T05:00:00Z');
    const spread = Array.from({ length: 200 }, (_unused, run) => spreadOpening(now, pair, `run-${run}`));
    const from = at('2026-07-06T13:00:00Z');
    for (const moment of spread)
      expect(moment, 'they meet from 18:30 to 19:00 in India').to.be.within(from, from + 1_800_000 - 1);
    expect(new Set(spread).size, 'and it is spread').to.be.above(100);
    expect(spreadOpening(from + 60_000, pair, 'run-1'), 'an open instant stays').to.equal(from + 60_000);
    const never = { ...pair, campaign: hours({ days: [] }), account: hours({ days: [] }) };
    expect(spreadOpening(now, never, 'run-1')).to.equal(Number.POSITIVE_INFINITY);
  });
});
