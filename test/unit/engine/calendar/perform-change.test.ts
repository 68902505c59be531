import { expect } from 'chai';
import { CALENDAR_NOW, changed, keptCalendar, refusedAs } from '../../../fixtures/calendar/kept-calendar.ts';

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
});
