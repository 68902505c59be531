import { busySpans } from '../../domain/calendar/busy-spans.ts';
import { firstStart, freeSlots, SLOT_SPAN_MS, slotsText } from '../../domain/calendar/free-slots.ts';
import type { CallAsk } from '../../nodes/call-ask.ts';
import { readCalendar } from '../../store/accounts/calendar-accounts.ts';
import { openCredentials } from './access.ts';
import type { Performer } from './performer.ts';

const MINUTE_MS = 60_000;

/** Free slots of a connected calendar, from now on. */
export const performSlots: Performer = async (deps, call) => {
  const ask = call.ask as Extract<CallAsk, { call: 'slots' }>;
  const calendar = await deps.claim.tx((tx) => readCalendar(tx, deps.workspaceId, ask.providerAccountId));
  if (!calendar) {
    const reason = 'no calendar is connected';
    return { perform: () => Promise.resolve({ outcome: 'failed', reason }) };
  }
  const { username = '', password = '' } = openCredentials(deps.outside, calendar.sealed, `calendar:${calendar.id}`);
  const { url, email, timezone, startHour, endHour } = calendar;
  const reach = deps.outside.reachOf(url);
  return {
    async perform({ signal }) {
      const now = deps.clock.now();
      const span = { start: now, end: now + SLOT_SPAN_MS };
      const access = { url, username, password, reach, timezone, own: [email], workspaceId: deps.workspaceId };
      const events = await deps.outside.calendar.events(access, span, signal);
      const slots = freeSlots(busySpans(events), {
        from: firstStart(now, now),
        until: span.end,
        durationMs: ask.durationMinutes * MINUTE_MS,
        count: ask.count,
        hours: ask.businessHoursOnly ? { startHour, endHour } : null,
        timezone,
      });
      if (slots.length === 0) return { outcome: 'no_slots' };
      const starts = slots.map((slot) => slot.start);
      return { outcome: 'done', data: { slots: slotsText(starts, timezone), starts, timezone } };
    },
  };
};
