import { expect } from 'chai';
import type { EventState } from '../../../../pkg/domain/calendar/calendar-wish.ts';
import { unfolded } from '../../../../pkg/providers/calendar/ical/content-lines.ts';
import { readEventText } from '../../../../pkg/providers/calendar/ical/event-text.ts';
import {
  answeredEventText,
  changedEventText,
  invitationText,
  newEventText,
} from '../../../../pkg/providers/calendar/ical/write-event.ts';

const NOW = Date.UTC(2026, 2, 2, 10);
const writer = { now: NOW, timezone: 'Europe/Berlin', organizer: 'ada@acme.example', serverInvites: false };
const event = (more: Partial<EventState> = {}): EventState => ({
  summary: 'Demo',
  description: '',
  location: '',
  start: Date.UTC(2026, 2, 30, 8),
  end: Date.UTC(2026, 2, 30, 9),
  allDay: false,
  attendees: [],
  ...more,
});

describe('the text of an event', () => {
  it('what it says is read back: times in the zone of the calendar, over a change of its clocks', () => {
    const attendees = [{ email: 'bob@acme.example', answer: 'needs_action' as const }];
    const wished = event({ description: 'Bring, please;\nthe "plan" \\ and more', location: 'Ø', attendees });
    const text = newEventText('uid-1', wished, writer);
    expect(readEventText(text, 'UTC')).to.deep.include({ uid: 'uid-1', sequence: 0, recurring: false, state: wished });
    expect(text).to.contain('DTSTART;TZID=Europe/Berlin:20260330T100000');
    expect(text).to.contain('BEGIN:DAYLIGHT\r\nDTSTART:20260329T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200');
  });

  it('no title, place, description or address makes a line of its own, and no line is longer than 75 octets', () => {
    const hostile = [
      'x\r\nATTENDEE:mailto:evil@x.example',
      'x\nEND:VEVENT',
      'x\u2028RRULE:FREQ=DAILY',
      'ü€😀'.repeat(60),
      '\u0000\r',
    ];
    for (const text of hostile) {
      const attendees = [{ email: `a${text}@x.example`, name: `"${text}`, answer: 'accepted' as const }];
      const written = newEventText('u', event({ summary: text, description: text, location: text, attendees }), writer);
      const names = unfolded(written).map((line) => /^[A-Z-]+/.exec(line)?.[0]);
      expect(names.filter((name) => name === 'ATTENDEE')).to.have.length(1);
      expect(names.filter((name) => name === 'RRULE' || name === undefined)).to.deep.equal([]);
      expect(unfolded(written).filter((line) => line === 'END:VEVENT')).to.have.length(1);
      const longest = Math.max(...written.split('\r\n').map((line) => Buffer.byteLength(line)));
      expect(longest).to.be.at.most(75);
      expect(written).not.to.contain('\ufffd');
    }
  });

  it('a change keeps alarms, X- properties and answers, and raises SEQUENCE', () => {
    const others = [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'X-WR-CALNAME:Work',
      'BEGIN:VEVENT',
      'UID:uid-2',
      'DTSTART:20260330T080000Z',
      'DURATION:PT1H',
      'SUMMARY:Demo',
      'SEQUENCE:4',
      'X-ROOM;COLOR=red:7',
      'ATTENDEE;CN="Bob, the first";PARTSTAT=ACCEPTED;X-NUM=1:MAILTO:Bob@acme.example',
      'ORGANIZER:mailto:ada@acme.example',
      'BEGIN:VALARM',
      'SUMMARY:not ours',
      'END:VALARM',
      'END:VEVENT',
      'END:VCALENDAR',
    ].join('\r\n');
    const known = readEventText(others, 'UTC')?.state;
    const guests = [...(known?.attendees ?? []), { email: 'eve@acme.example', answer: 'needs_action' as const }];
    const changed =
      changedEventText(others, { ...event(known ?? {}), location: 'Room 4', attendees: guests }, writer) ?? '';
    for (const kept of [
      'X-WR-CALNAME:Work',
      'X-ROOM;COLOR=red:7',
      'SUMMARY:not ours',
      'DURATION:PT1H',
      'SEQUENCE:5',
      'LOCATION:Room 4',
    ])
      expect(unfolded(changed)).to.contain(kept);
    expect(
      readEventText(changed, 'UTC')?.state?.attendees.map(({ email, answer }) => `${email} ${answer}`),
    ).to.deep.equal(['bob@acme.example accepted', 'eve@acme.example needs_action']);
    const declined = answeredEventText(changed, 'bob@acme.example', 'declined') ?? '';
    expect(unfolded(declined)).to.contain(
      'ATTENDEE;CN="Bob, the first";X-NUM=1;SCHEDULE-AGENT=CLIENT;PARTSTAT=DECLINED:MAILTO:Bob@acme.example',
    );
    expect(answeredEventText(declined, 'mallory@x.example', 'accepted'), 'who is not invited answers nothing').to.equal(
      undefined,
    );
    const off = invitationText(changed, 'CANCEL', ['eve@acme.example'], { now: NOW, sequence: 6 });
    expect(unfolded(off)).to.include.members([
      'METHOD:CANCEL',
      'STATUS:CANCELLED',
      'SEQUENCE:6',
      'ATTENDEE:mailto:eve@acme.example',
    ]);
    expect(off).not.to.match(/VALARM|Bob/);
  });

  it('where we mail, the server is told so for each attendee, and what else stands in their lines stays', () => {
    const written =
      'ATTENDEE;MEMBER="mailto:a@x.example","mailto:b@x.example";PARTSTAT=ACCEPTED:mailto:bob@acme.example';
    const text = newEventText('uid-3', event(), writer).replace('END:VEVENT', `${written}\r\nEND:VEVENT`);
    const known = readEventText(text, 'UTC')?.state;
    const byUs = unfolded(changedEventText(text, { ...event(known ?? {}), location: 'Room 4' }, writer) ?? '');
    expect(byUs).to.contain(written.replace(':mailto:bob', ';SCHEDULE-AGENT=CLIENT:mailto:bob'));
    const byServer = { ...writer, serverInvites: true };
    expect(unfolded(changedEventText(text, { ...event(known ?? {}), location: 'Room 4' }, byServer) ?? '')).to.contain(
      written,
    );
    const request = invitationText(byUs.join('\r\n'), 'REQUEST', ['bob@acme.example'], { now: NOW, sequence: 1 });
    expect(unfolded(request)).to.contain(written);
  });
});
