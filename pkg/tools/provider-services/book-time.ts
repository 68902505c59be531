import { UserError } from '../../base/errors.ts';
import { type EventTimes, movedTimes, sameTimes, takenBy } from '../../domain/calendar/calendar-wish.ts';
import type { Tx } from '../../postgres/database.ts';
import type { StoredEvent } from '../../providers/calendar/calendar-writer.ts';
import type { CalendarRow } from '../../store/accounts/calendar-accounts.ts';
import type { PlannedEvent } from '../../store/calendar/calendar-changes.ts';
import { isHeldForAnother, underCalendarLock } from '../../store/calendar/calendar-holds.ts';
import type { ToolContext } from '../tool-context.ts';
import { identityOf } from './calendar-of.ts';

/**
 * Locks what is offered and booked of a calendar: what was offered to a lead is booked for them alone, and nothing is offered while it is
 * planned.
 * @throws UserError
 */
export async function requireNotHeld(
  ctx: ToolContext,
  tx: Tx,
  calendar: CalendarRow,
  times: EventTimes,
  attendees: readonly string[],
): Promise<void> {
  const { workspaceId } = ctx;
  const now = ctx.clocks.product.now();
  const scope = { workspaceId, calendarId: calendar.id, identity: identityOf(ctx, calendar), holder: '', now };
  await underCalendarLock(tx, scope);
  if (!(await isHeldForAnother(tx, scope, takenBy(times, calendar.timezone), attendees))) return;
  throw new UserError(
    'The time was offered to a lead, and is held for them for 24 hours. Nothing was written: name that lead in attendeeEmails, or take another time. Call svc_get_free_slots.',
    'TimeHeld',
  );
}

/** When an event will be that is to be moved; undefined: it is not, or it takes no time. @param known null: it is still to be made, as planned */
export function movedTo(
  known: Pick<StoredEvent, 'state' | 'transparent'> | null,
  planned: PlannedEvent | undefined,
  wanted: { start?: number; end?: number; allDay?: boolean },
  timezone: string,
): EventTimes | undefined {
  if (wanted.start === undefined && wanted.end === undefined) return undefined;
  const before = known?.state ?? planned;
  if (!before || known?.transparent) return undefined;
  const { start, end, allDay } = movedTimes(before, wanted, timezone);
  return sameTimes(before, { start, end, allDay }) ? undefined : { start, end, allDay };
}
