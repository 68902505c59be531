import type { Tx } from '../../postgres/database.ts';

/** Enabling the first workflow of a draft campaign activates it. @returns whether it did */
export async function activateDraft(tx: Tx, campaignId: string, now: number): Promise<boolean> {
  const changed = await tx.exec(
    `update campaign set state = 'active', updated_at = $2 where id = $1 and state = 'draft' and deleted_at is null`,
    [campaignId, now],
  );
  return changed > 0;
}
