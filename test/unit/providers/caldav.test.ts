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
      'FREEBUSY;FBTYPE="FREE":20260206T120000Z/PT1H',
      'FREEBUSY:20260208T000000Z/20260208T000000Z',
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

  it('a period that it can not read is never taken for free time: nobody is offered a slot that is taken', () => {
    for (const line of [
      'FREEBUSY;FBTYPE=BUSY-TENTATIVE:garbage/garbage',
      'FREEBUSY:20260206T090000/20260206T100000',
      'FREEBUSY;TZID=Europe/Berlin:20260206T090000/PT1H',
      'FREEBUSY;VALUE=DATE:20260206/20260207',
      'FREEBUSY:20260206T080000Z/P1M',
      'FREEBUSY:20260206T080000Z',
      'FREEBUSY:20260206T100000Z/20260206T080000Z',
      `FREEBUSY:${Array.from({ length: 5_001 }, () => '20260206T080000Z/PT1H').join(',')}`,
    ]) {
      expect(() => busyPeriods(`BEGIN:VFREEBUSY\r\n${line}\r\nEND:VFREEBUSY`), line.slice(0, 60)).to.throw('free-busy');
    }
    expect(busyPeriods('FREEBUSY;FBTYPE=FREE:garbage/garbage'), 'what is free need not be read').to.deep.equal([]);
  });
});
