import { expect } from 'chai';
import { busyPeriods } from '../../../pkg/providers/calendar/caldav.ts';

describe('free-busy answers of calendars', () => {
  it('reads folded lines, durations and several periods; free ones are none', () => {
    const text = [
      'BEGIN:VFREEBUSY',
      'FREEBUSY;FBTYPE=BUSY:20260206T080000Z/20260206T090000Z,20260206T10',
      ' 0000Z/PT1H30M',
      'FREEBUSY;FBTYPE=FREE:20260206T120000Z/PT1H',
      'FREEBUSY:20260207T000000Z/P1D',
      'FREEBUSY;FBTYPE=BUSY-TENTATIVE:garbage/garbage',
      'END:VFREEBUSY',
    ].join('\r\n');
    const shown = busyPeriods(text).map((span) =>
      [span.start, span.end].map((at) => new Date(at).toISOString().slice(8, 16)),
    );
    expect(shown).to.deep.equal([
      ['06T08:00', '06T09:00'],
      ['06T10:00', '06T11:30'],
      ['07T00:00', '08T00:00'],
    ]);
  });
});
