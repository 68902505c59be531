import type { Tx } from '../../postgres/database.ts';

/** Days (product time) for which a notification is kept that was read, and one that nobody read. What grew counts from when it grew last. */
const KEEP_READ_DAYS = 90;
const KEEP_UNREAD_DAYS = 365;
/** Rows that one statement forgets at most. */
const NOTIFICATIONS_AT_ONCE = 5_000;

const DAY_MS = 86_400_000;

/**
 * Forgets old notifications, the oldest first. The events that they tell of are history, which has a time of its own. Platform only.
 * @param now epoch ms, product time
 * @returns whether there are more
 */
export async function forgetNotifications(tx: Tx, now: number, limit = NOTIFICATIONS_AT_ONCE): Promise<boolean> {
  const read = await forget(tx, 'read_at is not null', now - KEEP_READ_DAYS * DAY_MS, limit);
  const unread = await forget(tx, 'read_at is null', now - KEEP_UNREAD_DAYS * DAY_MS, limit);
  return read === limit || unread === limit;
}

/** Who reads one meanwhile, or makes it grow, goes first. */
function forget(tx: Tx, which: string, before: number, limit: number): Promise<number> {
  return tx.exec(
    `delete from notification
     where id = any (array(
       select n.id from notification n
       where n.created_at < $1 and n.${which}
       order by n.created_at limit $2
       for update skip locked
     ))`,
    [before, limit],
  );
}
