import type { Tx } from '../../postgres/database.ts';

/** Tells triggers which product time it is (app.product_now), for what their rows have no time of. @param now epoch ms UTC */
export async function tellTime(tx: Tx, now: number): Promise<void> {
  await tx.exec(`select set_config('app.now', $1, true)`, [String(now)]);
}
