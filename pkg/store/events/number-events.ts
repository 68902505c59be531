import type { Tx } from '../../postgres/database.ts';

/** Events that one statement numbers at most: it holds the numberer's row for as long. */
export const NUMBERED_AT_ONCE = 5_000;

/**
 * Numbers what was committed since, per workspace (app.number_events); for the platform only.
 * @returns how many; as many as `limit`: there is more to do. 0 too while another process numbers
 */
export async function numberEvents(tx: Tx, limit = NUMBERED_AT_ONCE): Promise<number> {
  const row = await tx.row<{ numbered: number }>('select app.number_events($1) as numbered', [limit]);
  return row?.numbered ?? 0;
}
