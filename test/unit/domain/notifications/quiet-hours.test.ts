import { expect } from 'chai';
import fc from 'fast-check';
import { localTime } from '../../../../pkg/domain/local-time.ts';
import { MAILED_AGAIN_MS, type MailRules, mailMoment } from '../../../../pkg/domain/notifications/mail-moment.ts';
import { afterQuiet, type QuietHours } from '../../../../pkg/domain/notifications/quiet-hours.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** Zones with every kind of change: by an hour, by half of one, at midnight, over a whole day, and none. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
];
const at = (text: string): number => Date.parse(text);
/** Also the week in which Apia had no 30 December. */
const instants = fc.oneof(
  fc.integer({ min: at('2026-01-01'), max: at('2029-12-31') }),
  fc.integer({ min: at('2011-12-27'), max: at('2012-01-02') }),
);
const hours = fc.integer({ min: 0, max: 23 });
const quietHours: fc.Arbitrary<QuietHours> = fc.record({
  startHour: hours,
  endHour: hours,
  timezone: fc.constantFrom(...ZONES),
});
/** Said once more, without the rule's own arithmetic. */
const isQuiet = (instant: number, { startHour, endHour, timezone }: QuietHours): boolean => {
  for (let hour = startHour; hour !== endHour; hour = (hour + 1) % 24)
    if (localTime(instant, timezone).hour === hour) return true;
  return false;
};

describe('quiet hours', () => {
  it('N3: what they hold back leaves at the first instant that is not quiet, in every zone and over every change of clocks', () => {
    fc.assert(
      fc.property(instants, quietHours, (instant, quiet) => {
        const free = afterQuiet(instant, quiet);
        expect(free > instant, 'only what is quiet is held').equal(isQuiet(instant, quiet));
        expect(isQuiet(free, quiet), 'ends when it is over').equal(false);
        expect(free - instant).within(0, 50 * HOUR);
        for (let one = instant; one < free; one += 15 * MINUTE) expect(isQuiet(one, quiet), 'not too late').equal(true);
      }),
      { numRuns: 300 },
    );
  });

  it('N3: they may span midnight, and the night is as long as its clocks make it', () => {
    const night: QuietHours = { startHour: 22, endHour: 8, timezone: 'Europe/Berlin' };
    expect(afterQuiet(at('2026-03-28T22:30:00Z'), night), 'a night of nine hours').equal(at('2026-03-29T06:00:00Z'));
    expect(afterQuiet(at('2026-10-24T21:30:00Z'), night), 'a night of eleven').equal(at('2026-10-25T07:00:00Z'));
    expect(afterQuiet(at('2026-06-01T20:00:00Z'), night), '22:00').equal(at('2026-06-02T06:00:00Z'));
    expect(afterQuiet(at('2026-06-01T06:00:00Z'), night), '8:00').equal(at('2026-06-01T06:00:00Z'));
  });
});

describe('when a mail leaves', () => {
  const fresh = { urgent: false, mailedAt: null };
  const rules = fc.record<MailRules>({
    digest: fc.constantFrom('off', 'hourly', 'daily'),
    quietHours: fc.option(quietHours),
    timezone: fc.constantFrom(...ZONES),
  });

  it('never in quiet hours, never before its cause, and within the day that its digest allows', () => {
    fc.assert(
      fc.property(instants, rules, (now, rule) => {
        const moment = mailMoment(now, rule, fresh);
        expect(moment).least(now);
        if (rule.quietHours) expect(isQuiet(moment, rule.quietHours)).equal(false);
        const most = { off: 0, hourly: 1, daily: 48 }[rule.digest] + (rule.quietHours ? 50 : 0);
        expect(moment - now).most(most * HOUR);
      }),
      { numRuns: 1_000 },
    );
  });

  it('N3: security and freezes ignore quiet hours and digests', () => {
    fc.assert(
      fc.property(instants, rules, (now, rule) => {
        expect(mailMoment(now, rule, { urgent: true, mailedAt: now })).equal(now);
      }),
    );
  });

  it('the daily digest leaves at 8:00 of the wall clock, the hourly one at the full hour', () => {
    const berlin = { quietHours: null, timezone: 'Europe/Berlin' };
    const daily = (now: string): number => mailMoment(at(now), { ...berlin, digest: 'daily' }, fresh);
    expect(daily('2026-03-28T10:00:00Z'), 'over the change').equal(at('2026-03-29T06:00:00Z'));
    expect(daily('2026-03-30T05:00:00Z')).equal(at('2026-03-30T06:00:00Z'));
    const hourly = (now: string, timezone = 'Asia/Kolkata'): number =>
      mailMoment(at(now), { ...berlin, timezone, digest: 'hourly' }, fresh);
    expect(hourly('2026-03-28T10:00:00Z')).equal(at('2026-03-28T10:30:00Z'));
    expect(hourly('2026-10-25T00:30:00Z', 'Europe/Berlin'), 'in the hour that comes twice').equal(
      at('2026-10-25T01:00:00Z'),
    );
  });

  it('what was mailed and grew while it stayed unread is mailed again after a day', () => {
    const now = at('2026-06-01T10:00:00Z');
    const rule = { digest: 'off', quietHours: null, timezone: 'UTC' } as const;
    expect(mailMoment(now, rule, { urgent: false, mailedAt: now - HOUR })).equal(now - HOUR + MAILED_AGAIN_MS);
    expect(mailMoment(now, rule, { urgent: false, mailedAt: now - 2 * MAILED_AGAIN_MS })).equal(now);
  });
});
