import { expect } from 'chai';
import { busyPeriods } from '../../../pkg/providers/calendar/caldav.ts';
import { CallError } from '../../../pkg/providers/call-error.ts';

describe('free-busy answers of calendars', () => {
  it('reads folded lines, durations and several periods; free ones are none', () => {
    const text = [
      'BEGIN:VFREEBUSY',
      'FREEBUSY;FBTYPE=BUSY:20260206T080000Z/20260206T090000Z,20260206T10',
      ' 0000Z/PT1H30M',
      'FREEBUSY;FBTYPE=FREE:20260206T120000Z/PT1H',
      'FREEBUSY:20260207T000000Z/P1D',
      'FREEBUSY;FBTYPE=BUSY;X-NOTE="a:b;FBTYPE=FREE":20260208T080000Z/+PT15M',
      'freebusy;fbtype=busy-unavailable:20260208T100000Z/P1W',
      'FREEBUSY:20260208T110000Z/20260208T110000Z',
      'END:VFREEBUSY',
    ].join('\r\n');
    const shown = busyPeriods(text).map((span) =>
      [span.start, span.end].map((at) => new Date(at).toISOString().slice(8, 16)),
    );
    expect(shown).to.deep.equal([
      ['06T08:00', '06T09:00'],
      ['06T10:00', '06T11:30'],
      ['07T00:00', '08T00:00'],
      ['08T08:00', '08T08:15'],
      ['08T10:00', '15T10:00'],
    ]);
  });

  it('what can not be read is no answer: a time that may be taken is never proposed', () => {
    const answer = (...lines: string[]): string =>
      ['BEGIN:VCALENDAR', 'BEGIN:VFREEBUSY', ...lines, 'END:VFREEBUSY', 'END:VCALENDAR'].join('\r\n');
    expect(busyPeriods(answer())).to.deep.equal([]);
    expect(busyPeriods(answer('FREEBUSY;FBTYPE="FREE":garbage')), 'what is free need not be read').to.deep.equal([]);
    const unreadable = [
      answer('FREEBUSY;FBTYPE=BUSY-TENTATIVE:garbage/garbage'),
      answer('FREEBUSY:20260206T080000/20260206T090000'),
      answer('FREEBUSY:20260206T080000Z/20260206T090000Z,20260206T100000Z'),
      answer('FREEBUSY:20260206T080000Z/PT'),
      answer('FREEBUSY:20260206T080000Z/P1M'),
      answer('FREEBUSY:20260206T080000Z'),
      answer('FREEBUSY:20260206T100000Z/20260206T080000Z'),
      answer('FREEBUSY;TZID=Europe/Berlin:20260206T090000/PT1H'),
      answer('FREEBUSY;VALUE=DATE:20260206/20260207'),
      answer('FREEBUSY:20269906T080000Z/PT1H'),
      answer('FREEBUSY:'),
      answer(...Array.from({ length: 5_001 }, () => 'FREEBUSY:20260206T080000Z/PT1H')),
      // Cut on its way, or events instead of busy times: nothing in it is a FREEBUSY, and nothing of it is free.
      'BEGIN:VCALENDAR\r\nBEGIN:VFREEBUSY\r\nFREEBUSY:20260206T080000Z/PT1H\r\n',
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260206T080000Z\r\nEND:VEVENT\r\nEND:VCALENDAR',
    ];
    for (const text of unreadable) expect(() => busyPeriods(text), text.slice(0, 200)).to.throw(CallError);
  });
});
