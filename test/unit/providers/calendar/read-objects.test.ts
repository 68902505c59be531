import { expect } from 'chai';
import { busySpans } from '../../../../pkg/domain/calendar/busy-spans.ts';
import type { CalendarEvent } from '../../../../pkg/domain/calendar/calendar-event.ts';
import { readObjects } from '../../../../pkg/providers/calendar/ical/read-objects.ts';
import { CALENDAR_RULES, UNREADABLE } from '../../../fixtures/calendar/calendar-rules.ts';

const at = (text: string): number => Date.parse(`${text}:00Z`);
const OWN = ['ada@agency.example'];

function calendarOf(lines: readonly string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}

function read(lines: readonly string[], [from, to]: readonly [string, string], zone: string): CalendarEvent[] {
  return readObjects({ objects: [calendarOf(lines)], span: { start: at(from), end: at(to) }, zone, own: OWN });
}

/** `02-03T08:00 – 02-03T09:00` */
function shown({ start, end }: { start: number; end: number }): string {
  const text = (instant: number): string => new Date(instant).toISOString().slice(5, 16);
  return `${text(start)} – ${text(end)}`;
}

describe('events of a calendar', () => {
  for (const { rule, lines, within, zone = 'Europe/Berlin', busy } of CALENDAR_RULES) {
    it(rule, () => expect(busySpans(read(lines, within, zone)).map(shown)).to.deep.equal(busy));
  }

  for (const [what, lines] of Object.entries(UNREADABLE)) {
    it(`${what}: it can not be read, and is never free`, () => {
      expect(() => read(lines, ['2026-02-01T00:00', '2026-03-01T00:00'], 'Europe/Berlin')).to.throw(Error);
    });
  }

  it('an event says what it is, who is invited, and what its owner answered', () => {
    const [event] = read(
      [
        ...['BEGIN:VEVENT', 'UID:a@x', 'DTSTART:20260203T080000Z', 'DTEND:20260203T090000Z', 'STATUS:TENTATIVE'],
        ...['SUMMARY:Call\\, with Bob', 'LOCATION:Room 1', 'DESCRIPTION:one\\ntwo', 'URL:https://meet.example/1'],
        'ORGANIZER;CN=Bob:MAILTO:Bob@client.example',
        'ATTENDEE;CN="Lovelace, Ada";PARTSTAT=ACCEPTED:mailto:Ada@Agency.example',
        'ATTENDEE;EMAIL=cy@client.example:/principals/cy/',
        ...['BEGIN:VALARM', 'TRIGGER:-PT10M', 'SUMMARY:Not this', 'END:VALARM', 'END:VEVENT'],
      ],
      ['2026-02-03T00:00', '2026-02-04T00:00'],
      'UTC',
    );
    expect(event).to.deep.equal({
      uid: 'a@x',
      start: at('2026-02-03T08:00'),
      end: at('2026-02-03T09:00'),
      allDay: false,
      title: 'Call, with Bob',
      status: 'tentative',
      transparent: false,
      location: 'Room 1',
      description: 'one\ntwo',
      url: 'https://meet.example/1',
      organizer: 'bob@client.example',
      attendees: [
        { email: 'ada@agency.example', name: 'Lovelace, Ada', answer: 'accepted' },
        { email: 'cy@client.example', answer: 'needs_action' },
      ],
      own: 'accepted',
    });
  });

  it('of a series each instance says which it is, also after it was moved', () => {
    const events = read(
      [
        ...['BEGIN:VEVENT', 'UID:s', 'DTSTART;TZID=Europe/Berlin:20260202T090000', 'DURATION:PT1H'],
        ...['RRULE:FREQ=DAILY;COUNT=3', 'SUMMARY:daily', 'END:VEVENT'],
        ...['BEGIN:VEVENT', 'UID:s', 'RECURRENCE-ID:20260203T080000Z', 'DTSTART:20260203T100000Z'],
        ...['DTEND:20260203T103000Z', 'SUMMARY:moved', 'END:VEVENT'],
      ],
      ['2026-02-01T00:00', '2026-03-01T00:00'],
      'UTC',
    );
    expect(events.map((event) => [event.recurrenceId, event.title, shown(event)])).to.deep.equal([
      ['20260202T080000Z', 'daily', '02-02T08:00 – 02-02T09:00'],
      ['20260203T080000Z', 'moved', '02-03T10:00 – 02-03T10:30'],
      ['20260204T080000Z', 'daily', '02-04T08:00 – 02-04T09:00'],
    ]);
  });
});
