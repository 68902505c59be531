import { slotsOf, spanOf } from '../../domain/calendar/calendar-slots.ts';
import { slotsText } from '../../domain/calendar/free-slots.ts';
import type { CallAsk } from '../../nodes/call-ask.ts';
import { readCalendarEvents } from '../../providers/calendar/calendar-reader.ts';
import { readCalendar } from '../../store/accounts/calendar-accounts.ts';
import { holderOf, offerSlots } from '../../store/calendar/calendar-holds.ts';
import { openedCalendar } from '../calendar/open-calendar.ts';
import type { Performer } from './performer.ts';

const MINUTE_MS = 60_000;

/** Free slots of a connected calendar, from now on, which are held for the lead: nobody else is offered the same for a day. */
export const performSlots: Performer = async (deps, call) => {
  const ask = call.ask as Extract<CallAsk, { call: 'slots' }>;
  const { workspaceId } = deps;
  const calendar = await deps.claim.tx((tx) => readCalendar(tx, workspaceId, ask.providerAccountId));
  if (!calendar) {
    const reason = 'no calendar is connected';
    return { perform: () => Promise.resolve({ outcome: 'failed', reason }) };
  }
  const { access, identity } = openedCalendar(deps, calendar);
  const { timezone } = calendar;
  return {
    async perform({ signal }) {
      const now = deps.clock.now();
      const { count, businessHoursOnly } = ask;
      const question = { from: now, now, durationMs: ask.durationMinutes * MINUTE_MS, count, businessHoursOnly };
      const span = spanOf(question, calendar);
      if (!span) return { outcome: 'no_slots' };
      const events = await readCalendarEvents(calendar.provider, { ...access, workspaceId }, span, signal);
      const { leadId } = call;
      const offer = { workspaceId, calendarId: calendar.id, identity, holder: holderOf(leadId, ''), leadId, now };
      const slots = await deps.claim.tx((tx) =>
        offerSlots(tx, offer, (held) => slotsOf(events, held, calendar, question)),
      );
      if (slots.length === 0) return { outcome: 'no_slots' };
      const starts = slots.map((slot) => slot.start);
      return { outcome: 'done', data: { slots: slotsText(starts, timezone), starts, timezone } };
    },
  };
};
