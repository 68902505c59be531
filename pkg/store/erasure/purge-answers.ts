import type { Tx } from '../../postgres/database.ts';

/** Rows that one call purges at most, so that it stays a matter of seconds. */
const ROWS_AT_ONCE = 5_000;

/**
 * Forgets a part of the answers that were kept for repeated calls longer ago than seven days (real time): until then the same
 * key answers the same, afterwards it is a new one. They may name people who were erased since. For the platform only.
 * @returns how many were forgotten; 0 when nothing is left to forget
 */
export async function purgeAnswers(tx: Tx, most = ROWS_AT_ONCE): Promise<number> {
  const answers = await tx.exec(
    `delete from idempotency where ctid = any (array(
       select ctid from idempotency where created_at < clock_timestamp() - interval '7 days' order by created_at limit $1))`,
    [most],
  );
  const intents = await tx.exec(
    `delete from intent where ctid = any (array(
       select ctid from intent where created_at < clock_timestamp() - interval '7 days' order by created_at limit $1))`,
    [most],
  );
  return answers + intents;
}
