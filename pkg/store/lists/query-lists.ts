import type { Tx } from '../../postgres/database.ts';

/** The next query list of a campaign by id, or the one that is asked for. @returns undefined behind the last one */
export async function nextQueryList(
  tx: Tx,
  ask: { campaignId: string | null; leadListId: string | null; after: string | null },
): Promise<string | undefined> {
  const row = await tx.row<{ id: string }>(
    `select id
     from lead_list
     where campaign_id = $1
       and type = 'query'
       and deleted_at is null
       and ($2::uuid is null or id = $2)
       and ($3::uuid is null or id > $3)
     order by id limit 1`,
    [ask.campaignId, ask.leadListId, ask.after],
  );
  return row?.id;
}
