import type { Tx } from '../../postgres/database.ts';

/**
 * Leads that a campaign does not have yet and that may be contacted in it, in the order given.
 * @param of `now`: epoch ms, product time
 */
export async function newToCampaign(
  tx: Tx,
  of: { workspaceId: string; campaignId: string; now: number },
  leadIds: readonly string[],
): Promise<string[]> {
  if (leadIds.length === 0) return [];
  const rows = await tx.rows<{ id: string }>(
    `select u.id
     from unnest($3::uuid[]) with ordinality u (id, place)
     where not exists (select 1 from campaign_lead c where c.campaign_id = $2 and c.lead_id = u.id)
       and not exists (
         select 1 from app.suppressed_leads($1, $2, $3::uuid[], $4) s where s.lead_id = u.id
       )
     order by u.place`,
    [of.workspaceId, of.campaignId, leadIds, of.now],
  );
  return rows.map((row) => row.id);
}
