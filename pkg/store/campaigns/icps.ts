import type { Tx } from '../../postgres/database.ts';

/** What an ICP asks of a lead; of each list one entry must match. */
export interface IcpCriteria {
  titles: readonly string[];
  industries: readonly string[];
  seniorities: readonly string[];
  companySizes: readonly string[];
  keywords: readonly string[];
}

/** @param icp `now`: epoch ms UTC, product time */
export async function insertIcp(
  tx: Tx,
  icp: { id: string; workspaceId: string; campaignId: string; criteria: IcpCriteria; now: number },
): Promise<void> {
  const { titles, industries, seniorities, companySizes, keywords } = icp.criteria;
  await tx.exec(
    `insert into icp (
       id, workspace_id, campaign_id, titles, industries, seniorities, company_sizes, keywords, created_at
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [icp.id, icp.workspaceId, icp.campaignId, titles, industries, seniorities, companySizes, keywords, icp.now],
  );
}

/**
 * Replaces the lists that are given; others stay. Scores are stale once a list is another.
 * @returns whether anything changed, and whether the scores are stale; undefined when the ICP is gone
 */
export async function changeIcp(
  tx: Tx,
  id: string,
  criteria: { [list in keyof IcpCriteria]: IcpCriteria[list] | null },
): Promise<{ changed: boolean; scoresStale: boolean } | undefined> {
  const { titles, industries, seniorities, companySizes, keywords } = criteria;
  return tx.row(
    `with before as (select * from icp where id = $1 for update)
     update icp i
     set
       titles = coalesce($2, i.titles),
       industries = coalesce($3, i.industries),
       seniorities = coalesce($4, i.seniorities),
       company_sizes = coalesce($5, i.company_sizes),
       keywords = coalesce($6, i.keywords),
       scores_stale = i.scores_stale
         or (
           coalesce($2, i.titles), coalesce($3, i.industries), coalesce($4, i.seniorities),
           coalesce($5, i.company_sizes), coalesce($6, i.keywords)
         ) is distinct from (b.titles, b.industries, b.seniorities, b.company_sizes, b.keywords)
     from before b
     where i.id = b.id
     returning
       i.scores_stale as "scoresStale",
       (i.titles, i.industries, i.seniorities, i.company_sizes, i.keywords)
         is distinct from (b.titles, b.industries, b.seniorities, b.company_sizes, b.keywords) as changed`,
    [id, titles, industries, seniorities, companySizes, keywords],
  );
}

/** Leaves a tombstone; its scores go part by part (forgetScores). @param now epoch ms UTC, product time */
export async function deleteIcpRow(tx: Tx, id: string, now: number): Promise<void> {
  await tx.exec('update icp set deleted_at = $2 where id = $1', [id, now]);
}
