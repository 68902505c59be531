import type { Tx } from '../../postgres/database.ts';

/** Days for which it is kept who was asked for what: as long as the longest freshness of a field. */
export const KEEP_ATTEMPT_DAYS = 180;
const DAY_MS = 86_400_000;
/** Rows that one call deletes at most. */
const AT_ONCE = 5_000;

/** Deletes attempts that are older. What was found stands in the lead. @param now epoch ms, product time. @returns whether there is more */
export async function forgetAttempts(tx: Tx, now: number): Promise<boolean> {
  const gone = await tx.exec(
    `delete from enrichment_attempt
     where ctid = any (array(select ctid from enrichment_attempt where asked_at < $1 order by asked_at limit $2))`,
    [now - KEEP_ATTEMPT_DAYS * DAY_MS, AT_ONCE],
  );
  return gone === AT_ONCE;
}
