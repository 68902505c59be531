import type { Tx } from '../../postgres/database.ts';

/** Days (product time) for which is kept what became of a delivery, and for which one waits whose endpoint is paused. */
export const KEEP_DELIVERY_DAYS = 30;
/** Rows that one statement forgets at most. */
export const FORGOTTEN_AT_ONCE = 5_000;

const DAY_MS = 86_400_000;

/** Forgets old deliveries. Platform only. @param now epoch ms, product time @returns whether there are more */
export async function forgetDeliveries(tx: Tx, now: number): Promise<boolean> {
  const before = now - KEEP_DELIVERY_DAYS * DAY_MS;
  const dropped = await tx.exec(
    `update delivery
     set state = 'dropped', error = 'it waited for ${KEEP_DELIVERY_DAYS} days', settled_at = $2
     where id = any (
       array(select d.id from delivery d where d.state = 'waiting' and d.created_at < $1 limit ${FORGOTTEN_AT_ONCE})
     )`,
    [before, now],
  );
  const forgotten = await tx.exec(
    `delete from delivery
     where id = any (array(select d.id from delivery d where d.settled_at < $1 limit ${FORGOTTEN_AT_ONCE}))`,
    [before],
  );
  return dropped === FORGOTTEN_AT_ONCE || forgotten === FORGOTTEN_AT_ONCE;
}
