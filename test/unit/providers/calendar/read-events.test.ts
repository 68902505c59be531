import { expect } from 'chai';
import { readIcalEvents } from '../../../../pkg/providers/calendar/ical/read-events.ts';
import { UnreadableCalendar } from '../../../../pkg/providers/calendar/unreadable-calendar.ts';

const span = { start: Date.UTC(2026, 1, 1), end: Date.UTC(2026, 2, 1) };
const calendar = (...lines: string[]): string => `BEGIN:VCALENDAR\r\n${lines.join('\r\n')}\r\nEND:VCALENDAR\r\n`;
const event = (uid: string, ...lines: string[]): string[] => [
  ...['BEGIN:VEVENT', `UID:${uid}`, 'DTSTART:20260203T080000Z', 'DURATION:PT1H'],
  ...[...lines, 'END:VEVENT'],
];
const filled = (text: string, length = 1_000_000): string => text.repeat(Math.ceil(length / text.length));

describe('calendars read in a worker', function () {
  this.timeout(60_000);

  it('what belongs together may stand in several objects; nothing of the second is lost', async () => {
    const moved = ['BEGIN:VEVENT', 'UID:a', 'RECURRENCE-ID:20260204T080000Z', 'DTSTART:20260204T120000Z', 'END:VEVENT'];
    const objects = [calendar(...event('a', 'RRULE:FREQ=DAILY;COUNT=2'), ...event('b')), calendar(...moved)];
    const found = await readIcalEvents(objects, span, 'Europe/Berlin', []);
    expect(found.map(({ uid, start }) => [uid, new Date(start).toISOString().slice(5, 16)])).to.deep.equal([
      ['a', '02-03T08:00'],
      ['b', '02-03T08:00'],
      ['a', '02-04T12:00'],
    ]);
  });

  const HOSTILE: Readonly<Record<string, readonly string[]>> = {
    'one event among others that can not be read': [calendar(...event('a')), calendar(...event('b', 'RRULE:FREQ=X'))],
    'no calendar': ['<html></html>'],
    'an empty object': [''],
    'parts in parts without end': [filled('BEGIN:VEVENT\r\n', 400_000)],
    'more lines than a calendar has': [calendar(filled('X:1\r\n'))],
    'parameters without number': [calendar(`DTSTART${filled(';A=B', 100_000)}`)],
    'quotes that none closes': [calendar(`X;A="${filled('a')}`)],
    'more than is read': [filled('X', 5_000_000)],
    'a thousand series of every second': [
      calendar(...Array.from({ length: 1_000 }, (_, n) => event(`u${n}`, 'RRULE:FREQ=SECONDLY;INTERVAL=1')).flat()),
    ],
    'a rule that never comes': [
      calendar(
        ...event('a', `RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=3;BYHOUR=8;BYMINUTE=0;BYSECOND=1;INTERVAL=7919`),
      ),
      calendar(...event('b', `RRULE:FREQ=MINUTELY;COUNT=99999999`)),
    ],
  };
  for (const [what, objects] of Object.entries(HOSTILE)) {
    it(`${what}: an error that says so, and no free time`, async () => {
      const error: unknown = await readIcalEvents(objects, span, 'UTC', []).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(UnreadableCalendar);
    });
  }
});
