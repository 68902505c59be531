import type { StoredEvent } from '../../providers/calendar/calendar-writer.ts';
import { CALENDAR_WRITERS } from '../../providers/calendar/calendar-writers.ts';
import type { CalendarRow } from '../../store/accounts/calendar-accounts.ts';
import { isChanging } from '../../store/calendar/calendar-changes.ts';
import { notFound } from '../errors.ts';
import type { ToolContext } from '../tool-context.ts';
import { asked, openAccess } from './calendar-of.ts';

/**
 * The event as the calendar has it now.
 * @returns null: it is still to be made
 * @throws UserError not found, or that the calendar does not answer
 */
export async function requireEvent(
  ctx: ToolContext,
  calendar: CalendarRow,
  eventId: string,
): Promise<StoredEvent | null> {
  if (await ctx.tx((tx) => isChanging(tx, calendar.id, eventId))) return null;
  const writer = CALENDAR_WRITERS[calendar.provider];
  if (!writer) throw new Error(`there is no adapter for ${calendar.provider}`);
  const found = await asked(calendar.id, writer.find(openAccess(ctx, calendar), eventId, ctx.signal));
  if (!found) throw notFound('calendarEvent', eventId);
  return found;
}
