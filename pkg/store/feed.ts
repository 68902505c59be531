import type { Tx } from '../postgres/database.ts';

/** How far a source has fed today. */
export interface FeedRow {
  workflowId: string;
  nodeId: string;
  /** Local date of the workspace, YYYY-MM-DD. */
  feedDate: string;
  fed: number;
}

export async function readFeeds(tx: Tx, workspaceId: string): Promise<FeedRow[]> {
  return tx.rows<FeedRow>(
    `select workflow_id as "workflowId", node_id as "nodeId", feed_date::text as "feedDate", fed from source_feed where workspace_id = $1`,
    [workspaceId],
  );
}

/** Keeps how far a source has fed and when it feeds next (epoch ms product time). */
export async function writeFeed(tx: Tx, workspaceId: string, feed: FeedRow & { nextAt: number | null }): Promise<void> {
  await tx.exec(
    `insert into source_feed (workspace_id, workflow_id, node_id, feed_date, fed, next_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (workflow_id, node_id) do update set feed_date = excluded.feed_date, fed = excluded.fed, next_at = excluded.next_at`,
    [workspaceId, feed.workflowId, feed.nodeId, feed.feedDate, feed.fed, feed.nextAt],
  );
}

export interface PoolQuery {
  workflowId: string;
  campaignId: string;
  scoreMin: number;
  icpIds: readonly string[] | null;
  order: 'score' | 'newest';
  /** Leads contacted after this (epoch ms product time) stay out. */
  contactedBefore: number;
  limit: number;
  offset: number;
}

/** Leads of the campaign pool that never were in this workflow, best (or newest) first. */
export async function poolCandidates(tx: Tx, workspaceId: string, query: PoolQuery): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    `select s.lead_id as id from (select lead_id, max(total) as total from lead_score
         where workspace_id = $1 and campaign_id = $3 and total >= $4::float8 and ($5::text[] is null or icp_id::text = any ($5::text[])) group by lead_id) s
       join lead l on l.id = s.lead_id and l.erased_at is null
       left join lead_overlay o on o.workspace_id = $1 and o.lead_id = l.id
     where not exists (select 1 from run r where r.workflow_id = $2 and r.lead_id = s.lead_id and r.workspace_id = $1)
       and coalesce(o.last_contacted_at, 0) <= $6
     order by case when $7 = 'score' then s.total end desc, l.created_at desc, l.id limit $8 offset $9`,
    [
      workspaceId,
      query.workflowId,
      query.campaignId,
      query.scoreMin,
      query.icpIds,
      query.contactedBefore,
      query.order,
      query.limit,
      query.offset,
    ],
  );
  return rows.map((row) => row.id);
}

/** Leads of a list (a query list is brought up to date first) that never were in this workflow, in the order of their addition. */
export async function listCandidates(
  tx: Tx,
  workspaceId: string,
  query: { workflowId: string; leadListId: string; limit: number; offset: number; now: number },
): Promise<string[]> {
  if (query.offset === 0) {
    await tx.exec(
      `select app.materialise_list(id, $3) from lead_list where workspace_id = $1 and id::text = $2 and type = 'query'`,
      [workspaceId, query.leadListId, query.now],
    );
  }
  const rows = await tx.rows<{ id: string }>(
    `select m.lead_id as id from lead_list_member m join lead l on l.id = m.lead_id and l.erased_at is null
     where m.workspace_id = $1 and m.lead_list_id = any (array(select t.id from lead_list t where t.workspace_id = $1 and t.id::text = $2 and t.deleted_at is null))
       and not exists (select 1 from run r where r.workflow_id = $3 and r.lead_id = m.lead_id and r.workspace_id = $1)
     order by m.added_at, m.lead_id limit $4 offset $5`,
    [workspaceId, query.leadListId, query.workflowId, query.limit, query.offset],
  );
  return rows.map((row) => row.id);
}
