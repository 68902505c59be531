import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { busySpans } from '../../domain/calendar/busy-spans.ts';
import { firstStart, freeSlots, SLOT_DAYS, SLOT_SPAN_MS, slotsText } from '../../domain/calendar/free-slots.ts';
import type { WritingFact } from '../../domain/craft/writing-fact.ts';
import { caldav } from '../../providers/calendar/caldav.ts';
import { readCalendar } from '../../store/accounts/calendar-accounts.ts';
import type { ToolContext } from '../tool-context.ts';

const HALF_HOUR_MS = 30 * 60_000;
/** Times that a reply proposes. */
const SLOTS = 3;
const credentials = z.object({ username: z.string().default(''), password: z.string().default('') });

/** The next free times of the workspace's calendar, as a fact that a reply may state. @throws UserError without a calendar */
export async function freeTimes(ctx: ToolContext, workspaceId: string): Promise<WritingFact> {
  if (!ctx.caller.scopes.has('ext_integrations:read')) {
    const text =
      'proposeSlots needs the scope ext_integrations:read, which this key lacks. Leave it out, or call svc_create_api_key.';
    throw new UserError(text, 'MissingScope');
  }
  const calendar = await ctx.tx((tx) => readCalendar(tx, workspaceId, null));
  const { connections } = ctx;
  if (!calendar?.sealed || !connections) {
    throw new UserError('No calendar is connected, so no times can be proposed. Leave proposeSlots out.', 'NoCalendar');
  }
  const { url, email, timezone, startHour, endHour } = calendar;
  const opened = credentials.parse(JSON.parse(connections.sealer.open(calendar.sealed, `calendar:${calendar.id}`)));
  const now = ctx.clocks.product.now();
  const span = { start: now, end: now + SLOT_SPAN_MS };
  const access = { url, ...opened, reach: connections.reachOf(url), timezone, own: [email], workspaceId };
  const slots = freeSlots(busySpans(await caldav.events(access, span, ctx.signal)), {
    from: firstStart(now, now),
    until: span.end,
    durationMs: HALF_HOUR_MS,
    count: SLOTS,
    hours: { startHour, endHour },
    timezone,
  });
  if (slots.length === 0) {
    throw new UserError(`The calendar has no free time within ${SLOT_DAYS} days. Leave proposeSlots out.`, 'NoSlots');
  }
  const text = slotsText(
    slots.map(({ start }) => start),
    timezone,
  );
  return { id: 's1', source: 'calendar:slots', text, at: null };
}
