import type { Tx } from '../../postgres/database.ts';

/** Rows that one call purges at most, so that it stays a matter of seconds. */
const ROWS_AT_ONCE = 5_000;

/** Longest key that a caller can give: what is longer stands for a call without one, and is asked for within a minute only. */
const LONGEST_GIVEN = 128;

/**
 * Forgets a part of what was kept for repeated calls: answers under a key of the caller after seven days (until then the same key answers
 * the same, afterwards it is a new one), those without a key after an hour, all in real time. They may name people who were erased since.
 * For the platform only.
 * @returns how many were forgotten; 0 when nothing is left to forget
 */
export async function purgeAnswers(tx: Tx, most = ROWS_AT_ONCE): Promise<number> {
  let forgotten = 0;
  for (const [table, key] of [
    ['idempotency', 'idempotency_key'],
    ['intent', 'intent_key'],
  ]) {
    // The further objects of a call (`part:`) go as late as its key may.
    const natural = `length(${key}) > ${LONGEST_GIVEN} and ${key} not like 'part:%'`;
    forgotten += await tx.exec(
      `delete from ${table} where ctid = any (array(
         select ctid from ${table} where created_at < clock_timestamp() - interval '7 days'
           or (created_at < clock_timestamp() - interval '1 hour' and ${natural})
         order by created_at limit $1))`,
      [most],
    );
  }
  return forgotten;
}
