import { expect } from 'chai';
import { failureOf } from '../../../../pkg/engine/calendar/calendar-rounds.ts';
import { ChangeRefused } from '../../../../pkg/engine/calendar/perform-change.ts';
import { CallError } from '../../../../pkg/providers/call-error.ts';
import { CALENDAR_NOW, changed, keptCalendar, OWNER, refusedAs } from '../../../fixtures/calendar/kept-calendar.ts';

const HOUR = 3_600_000;
const START = CALENDAR_NOW + 24 * HOUR;
const MEETING = { summary: 'Demo', description: '', location: '', start: START, end: START + HOUR, allDay: false };

describe('a change of a calendar', () => {
  it('an event is moved to a free time only, and its own time does not count', async () => {
    const calendar = keptCalendar([{ start: START + 2 * HOUR, end: START + 3 * HOUR }]);
    await changed(calendar, 'create', { ...MEETING, attendees: [] });
    expect(await refusedAs(calendar, 'update', { start: START + 2 * HOUR })).to.equal('conflict');
    expect(await refusedAs(calendar, 'update', { end: START + 2 * HOUR + 1 })).to.equal('conflict');
    const before = calendar.asked.length;
    await changed(calendar, 'update', { location: 'Room 4' });
    expect(calendar.asked.length, 'only a move asks').to.equal(before);
    expect((await changed(calendar, 'update', { start: START + HOUR / 2 })).event?.state).to.include({
      start: START + HOUR / 2,
      end: START + 1.5 * HOUR,
    });
  });

  it('an event that takes no time is moved onto a taken one; of a series its times alone stay', async () => {
    const calendar = keptCalendar([{ start: START + 2 * HOUR, end: START + 3 * HOUR }]);
    const { event } = await changed(calendar, 'create', { ...MEETING, attendees: [] });
    const free = event?.raw.replace('END:VEVENT', 'TRANSP:TRANSPARENT\r\nEND:VEVENT') ?? '';
    calendar.texts.set('event', free);
    const moved = await changed(calendar, 'update', { start: START + 2 * HOUR });
    expect(moved.event?.state.start).to.equal(START + 2 * HOUR);
    expect(moved.event?.transparent).to.equal(true);
    calendar.texts.set('event', free.replace('END:VEVENT', 'RRULE:FREQ=WEEKLY\r\nEND:VEVENT'));
    expect(await refusedAs(calendar, 'update', { start: START + 2 * HOUR })).to.equal('recurring');
    const same = await changed(calendar, 'update', { start: START, end: START + HOUR, location: 'Room 4' });
    expect(same.event?.state.location, 'named again, its times are no move').to.equal('Room 4');
  });

  it('a whole day is moved by its start alone and stays one, and takes the day of the calendar', async () => {
    const calendar = keptCalendar();
    const day = Date.UTC(2026, 2, 30);
    const DAY = 24 * HOUR;
    await changed(calendar, 'create', { ...MEETING, start: day, end: day + 2 * DAY, allDay: true, attendees: [] });
    // Berlin: two hours before UTC in summer, one in winter.
    expect(calendar.asked.pop()).to.deep.equal({ start: day - 2 * HOUR, end: day + 2 * DAY - 2 * HOUR });
    const moved = await changed(calendar, 'update', { start: day - 4 * DAY - HOUR });
    const first = day - 4 * DAY;
    expect(moved.event?.state).to.include({ start: first, end: first + 2 * DAY, allDay: true });
    expect(calendar.asked.pop()?.start).to.equal(first - HOUR);
    const longer = await changed(calendar, 'update', { end: first + 2 * DAY + 9 * HOUR });
    expect(longer.event?.state, 'a moment of the last day').to.include({ end: first + 3 * DAY, allDay: true });
    const timed = await changed(calendar, 'update', { start: first, end: first + HOUR, allDay: false });
    expect(timed.event?.state).to.include({ start: first, end: first + HOUR, allDay: false });
  });

  it('the owner keeps place and answer on the event; guests are asked anew where the time moved, and only there', async () => {
    const calendar = keptCalendar();
    const guests = ['bob@acme.example', 'eve@acme.example'];
    const { event } = await changed(calendar, 'create', { ...MEETING, attendees: [OWNER, ...guests] });
    calendar.texts.set('event', event?.raw.replaceAll('PARTSTAT=NEEDS-ACTION', 'PARTSTAT=ACCEPTED') ?? '');
    const only = await changed(calendar, 'update', { attendees: ['bob@acme.example'] });
    const answers = ({ event: at }: typeof only) =>
      at?.state.attendees.map(({ email, answer }) => `${email} ${answer}`);
    expect(answers(only)).to.deep.equal([`${OWNER} accepted`, 'bob@acme.example accepted']);
    expect(only.plans[0]?.cancelled).to.deep.equal(['eve@acme.example']);
    const moved = await changed(calendar, 'update', { start: START + 4 * HOUR });
    expect(answers(moved)).to.deep.equal([`${OWNER} accepted`, 'bob@acme.example needs_action']);
  });

  it('a meeting that somebody else called is theirs: nobody is told of it, and it is deleted here alone', async () => {
    const calendar = keptCalendar();
    await changed(calendar, 'create', { ...MEETING, attendees: [OWNER, 'bob@acme.example'] });
    const theirs = calendar.texts.get('event')?.replace(`ORGANIZER:mailto:${OWNER}`, 'ORGANIZER:mailto:Eve@x.example');
    calendar.texts.set('event', theirs ?? '');
    expect(await refusedAs(calendar, 'update', { location: 'Room 4' })).to.equal('not_organizer');
    expect(await refusedAs(calendar, 'delete', { notify: true })).to.equal('not_organizer');
    expect(calendar.texts.get('event')).to.equal(theirs);
    const { plans } = await changed(calendar, 'delete', { notify: false });
    expect(plans.map(({ cancelled }) => cancelled)).to.deep.equal([[]]);
  });

  it('what may be written is no failure: only a refusal of our own ends it, until patience ends', () => {
    const plan = { told: [], cancelled: [], cancelText: '', summary: '', startsAt: START };
    const lost = { kind: 'create', plan, tries: 1, failingSince: CALENDAR_NOW, wanted: { start: START } } as const;
    const again = new CallError('forbidden', 'the calendar answered 403');
    expect(failureOf(lost, again, START + 1), 'an earlier try may have made it').to.equal(null);
    const late = failureOf({ ...lost, tries: 20 }, again, CALENDAR_NOW + 9 * 24 * HOUR);
    expect(late).to.deep.equal({ outcome: 'unknown', error: 'it may be written: the calendar answered 403' });
    expect(failureOf(lost, new ChangeRefused('conflict', 'taken'), START)?.outcome).to.equal('conflict');
    const first = { ...lost, plan: null };
    expect(failureOf(first, again, CALENDAR_NOW)?.outcome, 'the first answer says that nothing was done').to.equal(
      'forbidden',
    );
    expect(failureOf(first, new CallError('lost', 'no answer'), START + 1)).to.equal(null);
  });

  it('a lost event that is looked for after its time is not made any more', async () => {
    const calendar = keptCalendar();
    const plan = { told: [], cancelled: [], cancelText: '', summary: '', startsAt: START };
    calendar.access.now = START + 1;
    expect(await refusedAs(calendar, 'create', { ...MEETING, attendees: [] }, plan)).to.equal('too_late');
    expect(calendar.texts.size).to.equal(0);
  });

  it('the calendar’s own address is told nothing of its meeting', async () => {
    const calendar = keptCalendar();
    const attendees = [OWNER, 'bob@acme.example'];
    const created = await changed(calendar, 'create', { ...MEETING, attendees });
    const deleted = await changed(calendar, 'delete', {});
    expect([created.plans[0]?.told, deleted.plans[0]?.cancelled]).to.deep.equal([
      attendees.slice(1),
      attendees.slice(1),
    ]);
  });

  it('who wants no mail by the time of the deed is told of no event and of no change of one', async () => {
    const barred: string[] = [];
    const calendar = keptCalendar([], { barred: async (emails) => emails.filter((email) => barred.includes(email)) });
    await changed(calendar, 'create', { ...MEETING, attendees: ['bob@acme.example'] });
    barred.push('bob@acme.example');
    expect(await refusedAs(calendar, 'update', { location: 'Room 4' })).to.equal('suppressed');
    expect(calendar.texts.get('event')).not.to.contain('Room 4');
    calendar.texts.clear();
    expect(await refusedAs(calendar, 'create', { ...MEETING, attendees: barred })).to.equal('suppressed');
    expect(calendar.texts.size).to.equal(0);
    const many = Array.from({ length: 51 }, (_, n) => `a${n}@acme.example`);
    expect(await refusedAs(calendar, 'create', { ...MEETING, attendees: many })).to.equal('too_many');
  });
});
