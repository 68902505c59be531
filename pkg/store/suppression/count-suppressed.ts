import type { Tx } from '../../postgres/database.ts';

/** People whom somebody suppresses. */
export interface SuppressedAmong {
  workspaceId: string;
  /** Whose exclusions count too; null: no campaign's. */
  campaignId: string | null;
  leadIds: readonly string[];
  /** Epoch ms, product time. */
  now: number;
}

/** How many of the leads may not be contacted: they are imported all the same, so that they are recognised. */
export async function countSuppressed(
  tx: Tx,
  { workspaceId, campaignId, leadIds, now }: SuppressedAmong,
): Promise<number> {
  const row = await tx.row<{ count: number }>(
    'select count(distinct lead_id)::int as count from app.suppressed_leads($1, $2, $3::uuid[], $4)',
    [workspaceId, campaignId, leadIds, now],
  );
  return row?.count ?? 0;
}
