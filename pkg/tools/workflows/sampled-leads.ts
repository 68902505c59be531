import type { Tx } from '../../postgres/database.ts';

/** Leads of each kind (scored high enough, in lists) that are looked at. */
const SAMPLE = 500;

/**
 * Some leads that a campaign would take: scored high enough, or in its lists.
 * @param columns of `lead l`, as SQL
 */
export function sampledLeads<T>(
  tx: Tx,
  { workspaceId, campaignId }: { workspaceId: string; campaignId: string },
  columns: string,
): Promise<T[]> {
  return tx.rows<T>(
    `select ${columns}
     from (
       (
         select s.lead_id
         from lead_score s
         join campaign c on c.id = s.campaign_id
         where s.campaign_id = $2 and s.total >= app.score_min(c.settings)
         limit $3
       )
       union (
         select m.lead_id
         from lead_list t
         join lead_list_member m on m.lead_list_id = t.id
         where t.workspace_id = $1 and t.campaign_id = $2 and t.deleted_at is null
         limit $3
       )
     ) x
     join lead l on l.id = x.lead_id and l.erased_at is null`,
    [workspaceId, campaignId, SAMPLE],
  );
}
