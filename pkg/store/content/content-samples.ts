import type { Tx } from '../../postgres/database.ts';

/** How a published post was read, by its newest sample; null: the network did not tell. */
export interface PostMetrics {
  id: string;
  publishedAt: number;
  impressions: number | null;
  reactions: number | null;
  comments: number | null;
  reposts: number | null;
  /** Epoch ms, product time; null: it was not looked at yet. */
  asOf: number | null;
  /** Leads of the workspace among those who reacted or commented, and those of them that a campaign won since. */
  leadsEngaged: number;
  leadsWon: number;
}

/** Posts that are summed up. */
export interface MetricsQuery {
  workspaceId: string;
  postId: string | null;
  /** Epoch ms of their publication; null: any. */
  from: number | null;
  until: number | null;
}

/**
 * People who engaged, as the account knows them: joined with leads by the provider's id, never by name. Of a shared account the relations
 * of all its workspaces show: leads of the post's own workspace, and people in its campaigns,
 * alone count. Won: they answered positively,
 * or a meeting was made, after the post.
 */
const ENGAGED = `
  select count(distinct r.person_id)::int as engaged,
    (count(distinct r.person_id) filter (
      where exists (
        select 1
        from run u
        join campaign k on k.id = u.campaign_id
        where u.person_id = r.person_id
          and u.workspace_id = p.workspace_id
          and u.facts ->> 'replyClass' = 'positive'
          and (u.facts ->> 'lastReplyAt')::bigint >= p.published_at
      )
    ))::int as won
  from content_engager e
  join relation r on r.account_id = p.account_id and r.provider_id = e.provider_id
  where e.post_id = p.id
    and (
      exists (select 1 from lead l where l.person_id = r.person_id and l.workspace_id = p.workspace_id)
      or exists (select 1 from run u where u.person_id = r.person_id and u.workspace_id = p.workspace_id)
    )`;

/** Metrics of published posts, the newest first. */
export function metricsOf(
  tx: Tx,
  of: MetricsQuery,
  page: { after: readonly (string | number | null)[] | null; limit: number },
): Promise<PostMetrics[]> {
  return tx.rows<PostMetrics>(
    `select p.id, p.published_at as "publishedAt", x.impressions, x.reactions, x.comments, x.reposts, x.at as "asOf",
       g.engaged as "leadsEngaged", g.won as "leadsWon"
     from content_post p
     left join lateral (
       select s.* from content_sample s where s.post_id = p.id order by s.at desc limit 1
     ) x on true
     cross join lateral (${ENGAGED}) g
     where p.workspace_id = $1
       and p.published_at is not null
       and ($2::text is null or p.id::text = $2)
       and ($3::bigint is null or p.published_at >= $3)
       and ($4::bigint is null or p.published_at < $4)
       and ($5::bigint is null or (p.published_at, p.id) < ($5, $6::uuid))
     order by p.published_at desc, p.id desc limit $7`,
    [of.workspaceId, of.postId, of.from, of.until, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit],
  );
}

/** Totals that the network showed at a time. */
export interface PostSample {
  at: number;
  impressions: number | null;
  reactions: number | null;
  comments: number | null;
  reposts: number | null;
}

/** Keeps a look at a post as it was: totals may fall, and are shown as they are. */
export async function keepSample(tx: Tx, post: { id: string; workspaceId: string }, sample: PostSample): Promise<void> {
  await tx.exec(
    `insert into content_sample (post_id, workspace_id, at, impressions, reactions, comments, reposts)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (post_id, at) do nothing`,
    [post.id, post.workspaceId, sample.at, sample.impressions, sample.reactions, sample.comments, sample.reposts],
  );
}

/** Keeps who engaged with a post, each once. @param now epoch ms, product time */
export async function keepEngagers(
  tx: Tx,
  post: { id: string; workspaceId: string },
  providerIds: readonly string[],
  now: number,
): Promise<void> {
  await tx.exec(
    `insert into content_engager (post_id, workspace_id, provider_id, seen_at)
     select $1, $2, x, $4 from unnest($3::text[]) x
     on conflict do nothing`,
    [post.id, post.workspaceId, providerIds, now],
  );
}
