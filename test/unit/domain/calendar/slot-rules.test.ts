import { expect } from 'chai';
import { slotsOf } from '../../../../pkg/domain/calendar/calendar-slots.ts';
import { firstStart, freeSlots, SLOT_SPAN_MS, type SlotWishes } from '../../../../pkg/domain/calendar/free-slots.ts';
import { overlaps, type Span } from '../../../../pkg/domain/calendar/span.ts';
import { localTime } from '../../../../pkg/domain/local-time.ts';
import { seededRandom } from '../../../../pkg/domain/random.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const GRID = 15 * MINUTE;
const at = (text: string): number => Date.parse(`${text}Z`);
const span = (start: string, end: string): Span => ({ start: at(start), end: at(end) });
const shown = (slots: readonly Span[]): string[] =>
  slots.map(({ start }) => new Date(start).toISOString().slice(5, 16));

const MONDAY: SlotWishes = {
  from: at('2026-02-09T00:00'),
  until: at('2026-02-09T00:00') + SLOT_SPAN_MS,
  durationMs: 30 * MINUTE,
  count: 2,
  hours: { startHour: 9, endHour: 18 },
  timezone: 'Europe/Berlin',
};

describe('rules of free slots', () => {
  it('a meeting that ends at ten leaves ten o’clock free, and one that begins at ten may end another', () => {
    const busy = [span('2026-02-09T08:00', '2026-02-09T09:00'), span('2026-02-09T10:00', '2026-02-09T16:30')];
    expect(shown(freeSlots(busy, MONDAY))).to.deep.equal(['02-09T09:00', '02-09T09:30']);
  });

  it('a slot starts at a quarter of an hour; where its gap is too short for that, when the gap begins', () => {
    const until = (text: string): Span[] => [
      span('2026-02-09T07:00', '2026-02-09T08:05'),
      span(text, '2026-02-09T16:30'),
    ];
    expect(shown(freeSlots(until('2026-02-09T08:50'), MONDAY))[0]).to.equal('02-09T08:15');
    expect(shown(freeSlots(until('2026-02-09T08:35'), MONDAY))[0]).to.equal('02-09T08:05');
    expect(shown(freeSlots(until('2026-02-09T08:34'), MONDAY))[0]).to.equal('02-09T16:30');
  });

  it('buffers stay free around meetings that touch, once around all of them', () => {
    const busy = [span('2026-02-09T09:00', '2026-02-09T09:30'), span('2026-02-09T09:30', '2026-02-09T10:00')];
    const buffers = { beforeMs: 15 * MINUTE, afterMs: 30 * MINUTE };
    expect(shown(freeSlots(busy, { ...MONDAY, count: 3, buffers }))).to.deep.equal([
      '02-09T08:00',
      '02-09T10:30',
      '02-09T11:00',
    ]);
  });

  it('nine o’clock is nine on either side of a change of clocks', () => {
    const from = at('2026-10-23T00:00');
    const wishes = { ...MONDAY, from, until: from + SLOT_SPAN_MS, durationMs: 9 * HOUR };
    expect(shown(freeSlots([], wishes))).to.deep.equal(['10-23T07:00', '10-26T08:00']);
  });

  it('at any time: also at night and on Sundays, and not beyond two weeks', () => {
    const from = at('2026-02-08T22:07');
    const wishes = { ...MONDAY, from, until: from + SLOT_SPAN_MS, hours: null, durationMs: 24 * HOUR, count: 100 };
    const found = freeSlots([], wishes);
    expect(shown(found)[0]).to.equal('02-08T22:15');
    expect(found).to.have.length(13);
  });

  it('nothing is proposed that begins within a quarter of an hour, or before the date that was asked for', () => {
    expect([firstStart(5 * HOUR, HOUR), firstStart(0, HOUR)]).to.deep.equal([5 * HOUR, HOUR + 15 * MINUTE]);
  });

  /** Every quarter of an hour by itself, and each end of what is taken. */
  function bySearch(busy: readonly Span[], wishes: SlotWishes): number | undefined {
    const { from, until, durationMs, hours, timezone } = wishes;
    const fits = (start: number): boolean => {
      const slot = { start, end: start + durationMs };
      if (start < from || slot.end > until || busy.some((one) => one.end > one.start && overlaps(one, slot)))
        return false;
      if (hours === null) return true;
      const [first, last] = [localTime(start, timezone), localTime(slot.end - 1, timezone)];
      const day = first.dayNumber === last.dayNumber && first.weekday < 6;
      return day && first.hour >= hours.startHour && last.hour < hours.endHour;
    };
    const quarters: number[] = [];
    for (let start = Math.ceil(from / GRID) * GRID; start < until; start += GRID) quarters.push(start);
    return [...quarters, ...busy.map(({ end }) => end)].sort((a, b) => a - b).find(fits);
  }

  it('500 random calendars: no slot is taken, too early or outside of the hours, and where one fits one is found', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const random = seededRandom('slots', seed);
      const from = at('2026-03-01T00:00') + Math.floor(random() * 400 * 24 * 60) * MINUTE;
      const busy = Array.from({ length: Math.floor(random() * 60) }, () => {
        const start = from + Math.floor(random() * 16 * 24 * 60 - 24 * 60) * MINUTE;
        return { start, end: start + Math.floor(random() * 10 * 60) * MINUTE };
      });
      const timezone = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'][seed % 4] ?? 'UTC';
      const hours = random() < 0.3 ? null : { startHour: 9, endHour: 18 };
      const durationMs = (1 + Math.floor(random() * 180)) * MINUTE;
      const wishes = { from, until: from + SLOT_SPAN_MS, durationMs, count: 5, hours, timezone };
      const found = freeSlots(busy, wishes);
      const why = `seed ${seed}`;
      for (const [n, slot] of found.entries()) {
        expect(slot.end - slot.start, why).to.equal(durationMs);
        expect(bySearch(busy, { ...wishes, from: slot.start }), why).to.equal(slot.start);
        const before = found[n - 1];
        if (before) expect(slot.start, why).to.be.at.least(before.end);
      }
      const first = bySearch(busy, wishes);
      expect(found.length > 0, why).to.equal(first !== undefined);
      // The end of a meeting counts only where no quarter of an hour fits into its gap.
      if (first !== undefined && first % GRID === 0) expect(found[0]?.start, why).to.equal(first);
    }
  });
});

describe('settings of a calendar', () => {
  it('the free minutes around meetings that an account asks for are kept', () => {
    const meeting = {
      start: at('2026-02-09T08:00'),
      end: at('2026-02-09T09:00'),
    };
    const question = {
      from: at('2026-02-09T00:00'),
      now: at('2026-02-08T00:00'),
      durationMs: 30 * MINUTE,
      count: 1,
      businessHoursOnly: true,
    };
    const hours = { timezone: 'Europe/Berlin', startHour: 9, endHour: 18 };
    expect(shown(slotsOf([], [meeting], hours, question))).to.deep.equal(['02-09T09:00']);
    expect(shown(slotsOf([], [meeting], { ...hours, bufferAfter: 30 }, question))).to.deep.equal(['02-09T09:30']);
  });
});
