import { UserError } from '../../base/errors.ts';
import { slotsOf, spanOf } from '../../domain/calendar/calendar-slots.ts';
import { SLOT_DAYS, slotsText } from '../../domain/calendar/free-slots.ts';
import type { WritingFact } from '../../domain/craft/writing-fact.ts';
import { readCalendar } from '../../store/accounts/calendar-accounts.ts';
import { holderOf, offerSlots } from '../../store/calendar/calendar-holds.ts';
import { calendarEvents, identityOf } from '../provider-services/calendar-of.ts';
import type { ToolContext } from '../tool-context.ts';

const HALF_HOUR_MS = 30 * 60_000;
/** Times that a reply proposes. */
const SLOTS = 3;

/** Who the times are proposed to. */
interface ProposedTo {
  workspaceId: string;
  conversationId: string;
  leadId: string | null;
}

/**
 * The next free times of the workspace's calendar, as a fact that a reply may state. They are held for a day: nobody else is offered the
 * same.
 * @throws UserError without a calendar
 */
export async function freeTimes(
  ctx: ToolContext,
  { workspaceId, conversationId, leadId }: ProposedTo,
): Promise<WritingFact> {
  if (!ctx.caller.scopes.has('ext_integrations:read')) {
    const text =
      'proposeSlots needs the scope ext_integrations:read, which this key lacks. Leave it out, or call svc_create_api_key.';
    throw new UserError(text, 'MissingScope');
  }
  const calendar = await ctx.tx((tx) => readCalendar(tx, workspaceId, null));
  if (!calendar) {
    throw new UserError('No calendar is connected, so no times can be proposed. Leave proposeSlots out.', 'NoCalendar');
  }
  const now = ctx.clocks.product.now();
  const question = { from: now, now, durationMs: HALF_HOUR_MS, count: SLOTS, businessHoursOnly: true };
  const span = spanOf(question, calendar);
  const events = span ? await calendarEvents(ctx, workspaceId, calendar, span) : [];
  const identity = identityOf(ctx, calendar);
  const offer = {
    workspaceId,
    calendarId: calendar.id,
    identity,
    holder: holderOf(leadId, conversationId),
    leadId,
    now,
  };
  // Made again it offers the same: what it holds itself is not taken.
  const slots = await ctx.unrecorded((tx) =>
    offerSlots(tx, offer, (held) => slotsOf(events, held, calendar, question)),
  );
  if (slots.length === 0) {
    throw new UserError(`The calendar has no free time within ${SLOT_DAYS} days. Leave proposeSlots out.`, 'NoSlots');
  }
  const text = slotsText(
    slots.map(({ start }) => start),
    calendar.timezone,
  );
  return { id: 's1', source: 'calendar:slots', text, at: null };
}
