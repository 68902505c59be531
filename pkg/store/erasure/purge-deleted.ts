import type { Tx } from '../../postgres/database.ts';

/** Rows of one kind that one call purges at most, so that it stays a matter of seconds. */
const ROWS_AT_ONCE = 5_000;

/**
 * Purges a part of what workspaces deleted longer ago than their `retentionDays` (without the setting it stays): texts,
 * audiences, members of lists, leads of a deleted workspace. What proves contact stays. Addresses of unsubscription go after
 * two years. For the platform only.
 * @param now epoch ms UTC, product time
 * @returns the kind of record that was worked on; null when nothing is left to purge
 */
export async function purgeDeleted(tx: Tx, now: number, most = ROWS_AT_ONCE): Promise<string | null> {
  const row = await tx.row<{ kind: string | null }>('select app.purge_deleted($1, $2) as kind', [now, most]);
  return row?.kind ?? null;
}
