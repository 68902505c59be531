import type { Span } from '../../domain/calendar/span.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';
import { knowCalendar } from './calendar-turns.ts';

/** How long an offered time is held. */
export const HOLD_MS = 24 * 3_600_000;

/** A calendar of a workspace, and for whom its times are asked for. */
export interface HoldScope {
  workspaceId: string;
  calendarId: string;
  /** Which calendar it is, in all workspaces (Sealer.marks of calendarIdentity). */
  identity: readonly Buffer[];
  /** For whom: what another one holds is taken, what it holds itself is not. */
  holder: string;
  /** Epoch ms, product time, before the calendar's events were read. */
  now: number;
}

/** For whom times of a calendar are held. */
export function holderOf(leadId: string | null, conversationId: string): string {
  return leadId === null ? `conversation:${conversationId}` : `lead:${leadId}`;
}

/**
 * Locks what is offered and booked of a calendar until the end of the transaction: offers and bookings come one after the other, in all
 * workspaces that connected it.
 * @returns the times that are held for others, and those of events that are still to be made or moved, or were since `now`, in order;
 * epoch ms UTC
 */
export async function underCalendarLock(
  tx: Tx,
  { workspaceId, calendarId, identity, holder, now }: HoldScope,
): Promise<Span[]> {
  await knowCalendar(tx, { workspaceId, calendarId, identity });
  return tx.rows<Span>('select start_at as start, end_at as "end" from app.lock_calendar($1, $2, $3, $4)', [
    workspaceId,
    calendarId,
    holder,
    now,
  ]);
}

/**
 * Offers times of a calendar to one holder, and holds them for a day: nobody else is offered the same meanwhile.
 * @param choose picks among what is not held for others
 * @returns what was chosen
 */
export async function offerSlots(
  tx: Tx,
  offer: HoldScope & { leadId: string | null },
  choose: (held: readonly Span[]) => readonly Span[],
): Promise<readonly Span[]> {
  const slots = choose(await underCalendarLock(tx, offer));
  if (slots.length === 0) return slots;
  const row = await tx.row<{ held: boolean }>('select app.hold_slots($1, $2, $3, $4, $5, $6, $7, $8) as held', [
    offer.workspaceId,
    offer.calendarId,
    offer.holder,
    offer.leadId,
    arrayText(slots.map(({ start }) => start)),
    arrayText(slots.map(({ end }) => end)),
    offer.now,
    offer.now + HOLD_MS,
  ]);
  if (!row?.held) throw new Error('times that were chosen under the lock of their calendar are held for somebody else');
  return slots;
}

/**
 * Whether a part of a time is held for a lead with none of these addresses: then it is not given away. What is held for a conversation
 * without a lead binds offers alone, since nobody knows the address of its person. The caller holds the calendar's lock.
 * @param span epoch ms UTC
 * @param emails lower case
 */
export async function isHeldForAnother(
  tx: Tx,
  { workspaceId, calendarId, now }: Pick<HoldScope, 'workspaceId' | 'calendarId' | 'now'>,
  { start, end }: Span,
  emails: readonly string[],
): Promise<boolean> {
  const row = await tx.row<{ held: boolean }>('select app.is_held_for_another($1, $2, $3, $4, $5, $6) as held', [
    workspaceId,
    calendarId,
    start,
    end,
    arrayText(emails),
    now,
  ]);
  return row?.held === true;
}

/** Rows that one call deletes at most. */
const AT_ONCE = 5_000;

/** Deletes holds whose time is over, of all workspaces. @param now epoch ms, product time @returns whether there is more */
export async function forgetHolds(tx: Tx, now: number): Promise<boolean> {
  const gone = await tx.exec(
    `delete from calendar_hold
     where ctid = any (array(select ctid from calendar_hold where expires_at <= $1 order by expires_at limit $2))`,
    [now, AT_ONCE],
  );
  return gone === AT_ONCE;
}
