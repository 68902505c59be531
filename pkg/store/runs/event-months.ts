import type { Tx } from '../../postgres/database.ts';

/** Opens the partition of history for the month of `at` (epoch ms UTC, product time); true when it was not open yet. */
export async function openEventMonth(tx: Tx, at: number): Promise<boolean> {
  const row = await tx.row<{ opened: boolean }>('select app.open_event_month($1) as opened', [at]);
  return row?.opened ?? false;
}

/** Days of history that are kept. */
export const KEEP_EVENT_DAYS = 400;

/** Drops months of history that ended more than `keepDays` before `now` (product time); for the platform only. */
export async function dropOldEvents(tx: Tx, now: number, keepDays = KEEP_EVENT_DAYS): Promise<number> {
  const row = await tx.row<{ dropped: number }>('select app.drop_old_events($1, $2) as dropped', [now, keepDays]);
  return row?.dropped ?? 0;
}

/** Numbers that one statement forgets at most. */
export const NUMBERS_AT_ONCE = 20_000;

/** Forgets numbers of events whose months were dropped; for the platform only. @returns how many; as many as `limit`: there are more */
export async function dropOldNumbers(
  tx: Tx,
  now: number,
  limit = NUMBERS_AT_ONCE,
  keepDays = KEEP_EVENT_DAYS,
): Promise<number> {
  const row = await tx.row<{ dropped: number }>('select app.drop_old_numbers($1, $2, $3) as dropped', [
    now,
    keepDays,
    limit,
  ]);
  return row?.dropped ?? 0;
}
