import type { Tx } from '../../postgres/database.ts';

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
    `select workflow_id as "workflowId", node_id as "nodeId", feed_date::text as "feedDate", fed
     from source_feed
     where workspace_id = $1`,
    [workspaceId],
  );
}

/** Keeps how far a source has fed and when it feeds next (epoch ms product time). */
export async function writeFeed(tx: Tx, workspaceId: string, feed: FeedRow & { nextAt: number | null }): Promise<void> {
  await tx.exec(
    `insert into source_feed (workspace_id, workflow_id, node_id, feed_date, fed, next_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (workflow_id, node_id) do update set
       feed_date = excluded.feed_date,
       fed = excluded.fed,
       next_at = excluded.next_at`,
    [workspaceId, feed.workflowId, feed.nodeId, feed.feedDate, feed.fed, feed.nextAt],
  );
}

/** A place in a pool or list: the last score, or member, that a part before looked at. */
export interface SourcePlace {
  total: number;
  leadId: string;
}

/** Some candidates of a source, and where its next part begins; null: there is none. */
export interface Candidates {
  leadIds: string[];
  next: SourcePlace | null;
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
  /** Candidates of this part to pass over. */
  offset: number;
  /** Where the part begins; null: with the best, or newest. */
  after: SourcePlace | null;
}

/** Scores, or members of a list, that one look goes through: well under a second. */
const LEADS_AT_ONCE = 20_000;

/** How the scores of a pool are walked, each way by an index; ids tell which lead is newer. */
const WALKS: Readonly<Record<PoolQuery['order'], { behind: string; order: string }>> = {
  score: {
    behind: 'total <= $9::real and (total < $9::real or lead_id > $10::uuid)',
    order: 'total desc, lead_id',
  },
  newest: { behind: '$9::real is not null and lead_id < $10::uuid', order: 'lead_id desc' },
};

/**
 * Leads of the campaign pool that never were in this workflow, best (or newest) first: of a part of the pool, for of a
 * million scores most are of leads that have been enrolled already, and to go through all of them takes longer than a
 * statement may. Runs are looked up by lead: the text of the workflow is hidden from the index that would read all of its runs.
 * @returns the leads, and where the next part begins; null: there is none
 */
export async function poolCandidates(
  tx: Tx,
  workspaceId: string,
  query: PoolQuery,
  most = LEADS_AT_ONCE,
): Promise<Candidates> {
  const { behind, order } = WALKS[query.order];
  const begin = query.after ? behind : '$9::real is null and $10::uuid is null';
  const row = await tx.row<{ leadIds: string[] | null; looked: number; total: number; leadId: string }>(
    `with part as materialized (
       select lead_id, total
       from lead_score
       where workspace_id = $1
         and campaign_id = $3
         and total >= $4::float8
         and ($5::text[] is null or icp_id::text = any ($5::text[]))
         and ${begin}
       order by ${order} limit $11
     ),
     best as (select lead_id, max(total) as total from part group by lead_id),
     found as (
       select l.id
       from best b
       cross join lateral (
         select l.id, l.created_at
         from lead l
         where l.id = b.lead_id and l.erased_at is null
         offset 0
       ) l
       where (
           select true
           from run r
           where r.workspace_id = $1 and r.lead_id = b.lead_id and r.workflow_id || '' = $2
           limit 1
         ) is null
         and coalesce(
           (select o.last_contacted_at from lead_overlay o where o.workspace_id = $1 and o.lead_id = b.lead_id),
           0
         ) <= $6
       order by case when $12 = 'score' then b.total end desc, l.created_at desc, l.id limit $7
       offset $8
     )
     select
       (select array_agg(id) from found) as "leadIds",
       (select count(*)::int from part) as looked,
       total,
       lead_id as "leadId"
     from (select total, lead_id, row_number() over (order by ${order}) as place from part) p
     order by place desc limit 1`,
    [
      workspaceId,
      query.workflowId,
      query.campaignId,
      query.scoreMin,
      query.icpIds,
      query.contactedBefore,
      query.limit,
      query.offset,
      query.after?.total ?? null,
      query.after?.leadId ?? null,
      most,
      query.order,
    ],
  );
  if (!row) return { leadIds: [], next: null };
  const next = row.looked === most ? { total: row.total, leadId: row.leadId } : null;
  return { leadIds: row.leadIds ?? [], next };
}

export interface ListQuery {
  workflowId: string;
  leadListId: string;
  limit: number;
  /** Candidates of this part to pass over. */
  offset: number;
  /** Where the part begins; null: at the beginning. */
  after: SourcePlace | null;
  now: number;
}

/**
 * Leads of a list (a query list is brought up to date first) that never were in this workflow, of a part of the list as of a
 * pool's; in the order of their addition, in a long list of each part's.
 * @returns the leads, and where the next part begins; null: there is none
 */
export async function listCandidates(
  tx: Tx,
  workspaceId: string,
  query: ListQuery,
  most = LEADS_AT_ONCE,
): Promise<Candidates> {
  if (query.offset === 0 && query.after === null) {
    await tx.exec(
      `select app.materialise_list(id, $3) from lead_list where workspace_id = $1 and id::text = $2 and type = 'query'`,
      [workspaceId, query.leadListId, query.now],
    );
  }
  const row = await tx.row<{ leadIds: string[] | null; looked: number; leadId: string }>(
    `with part as materialized (
       select m.lead_id, m.added_at
       from lead_list_member m
       where m.lead_list_id = (
           select t.id
           from lead_list t
           where t.workspace_id = $1 and t.id::text = $2 and t.deleted_at is null
         )
         and m.workspace_id = $1
         and m.lead_id > $6::uuid
       order by m.lead_id limit $7
     ),
     found as (
       select l.id
       from part m
       cross join lateral (select l.id from lead l where l.id = m.lead_id and l.erased_at is null offset 0) l
       where (
         select true
         from run r
         where r.workspace_id = $1 and r.lead_id = m.lead_id and r.workflow_id || '' = $3
         limit 1
       ) is null
       order by m.added_at, m.lead_id limit $4 offset $5
     )
     select
       (select array_agg(id) from found) as "leadIds",
       (select count(*)::int from part) as looked,
       lead_id as "leadId"
     from part
     order by lead_id desc limit 1`,
    [
      workspaceId,
      query.leadListId,
      query.workflowId,
      query.limit,
      query.offset,
      query.after?.leadId ?? '00000000-0000-0000-0000-000000000000',
      most,
    ],
  );
  if (!row) return { leadIds: [], next: null };
  return { leadIds: row.leadIds ?? [], next: row.looked === most ? { total: 0, leadId: row.leadId } : null };
}
