import { freeSlots, SLOT_DAYS, slotsText } from '../../domain/free-slots.ts';
import type { CallAsk } from '../../nodes/call-ask.ts';
import { readCalendar } from '../../store/accounts/calendar-accounts.ts';
import { openCredentials } from './access.ts';
import type { Performer } from './performer.ts';

const DAY_MS = 86_400_000;
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
  const { url, timezone, startHour, endHour } = calendar;
  const reach = deps.outside.reachOf(url);
  return {
    async perform({ signal }) {
      const from = deps.clock.now();
      const span = { start: from, end: from + SLOT_DAYS * DAY_MS };
      const busy = await deps.outside.calendar.busy({ url, username, password, reach }, span, signal);
      const slots = freeSlots(busy, {
        from,
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
