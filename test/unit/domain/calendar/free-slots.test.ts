import { expect } from 'chai';
import { freeSlots, SLOT_SPAN_MS, slotsText } from '../../../../pkg/domain/calendar/free-slots.ts';

const at = (text: string): number => Date.parse(`${text}Z`);

describe('free slots', () => {
  const wishes = {
    from: at('2026-02-06T08:07:00'),
    until: at('2026-02-06T08:07:00') + SLOT_SPAN_MS,
    durationMs: 30 * 60_000,
    count: 3,
    hours: { startHour: 9, endHour: 18 },
    timezone: 'Europe/Berlin',
  };
  const starts = (busy: [string, string][], given: Partial<typeof wishes> = {}): string[] =>
    freeSlots(
      busy.map(([start, end]) => ({ start: at(start), end: at(end) })),
      { ...wishes, ...given },
    ).map((slot) => new Date(slot.start).toISOString().slice(5, 16));

  const cases: [why: string, busy: [string, string][], given: Partial<typeof wishes>, expected: string[]][] = [
    ['the next quarter of an hour, one after the other', [], {}, ['02-06T08:15', '02-06T08:45', '02-06T09:15']],
    [
      'around what is taken',
      [['2026-02-06T08:20:00', '2026-02-06T09:05:00']],
      {},
      ['02-06T09:15', '02-06T09:45', '02-06T10:15'],
    ],
    [
      'over the weekend to Monday 9:00 local time',
      [['2026-02-06T08:00:00', '2026-02-06T16:45:00']],
      { durationMs: 30 * 60_000 },
      ['02-09T08:00', '02-09T08:30', '02-09T09:00'],
    ],
    ['none when two weeks are taken', [['2026-02-01T00:00:00', '2026-02-25T00:00:00']], {}, []],
  ];
  for (const [why, busy, given, expected] of cases) {
    it(why, () => expect(starts(busy, given)).to.deep.equal(expected));
  }

  it('reads as a message names them', () => {
    const slots = [{ start: at('2026-02-06T08:15:00'), end: at('2026-02-06T08:45:00') }];
    expect(
      slotsText(
        slots.map((slot) => slot.start),
        'Europe/Berlin',
      ),
    ).to.equal('Fri 6 Feb 09:15 (Europe/Berlin)');
    expect(slotsText([], 'UTC')).to.equal('');
  });
});
