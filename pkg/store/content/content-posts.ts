import type { JsonObject } from '../../base/json.ts';
import type { PostState } from '../../domain/content/post-state.ts';
import type { EventKind } from '../../domain/event-kinds.ts';
import type { Tx } from '../../postgres/database.ts';

/** Why a part of a post did not go out. */
export interface PostFailure {
  code: string;
  message: string;
  attempts: number;
  /** Epoch ms, product time. */
  at: number;
  /** Whether it is proven that it is not online. */
  outcomeKnown: boolean;
  part: 'post' | 'comment';
}

/** A post; times epoch ms, product time. */
export interface ContentPost {
  id: string;
  workspaceId: string;
  campaignId: string | null;
  accountId: string;
  state: PostState;
  text: string;
  firstComment: string | null;
  scheduledAt: number | null;
  /** The wall clock that was meant, and its zone (null: that of the account); null: an instant was meant. */
  localAt: string | null;
  timezone: string | null;
  version: number;
  approved: boolean;
  approvedVersion: number | null;
  approvedMedia: (string | null)[] | null;
  submittedAt: number | null;
  decidedAt: number | null;
  decidedBy: string | null;
  decidedByUser: string | null;
  reason: string | null;
  reviewers: string[];
  authors: string[];
  failure: PostFailure | null;
  actionId: string | null;
  commentActionId: string | null;
  socialId: string | null;
  externalUrl: string | null;
  publishedAt: number | null;
  verifiedAt: number | null;
  commentPublishedAt: number | null;
  madeBy: string;
  createdAt: number;
  updatedAt: number;
  /** State of the send that publishes it now; null: none is under way. */
  sendState: 'claimed' | 'dispatched' | 'unknown' | null;
  /** That send, while a person has to decide about it. */
  deadSendId: string | null;
  /** Why its action waits. */
  waitReason: string | null;
}

const POST = `p.id, p.workspace_id as "workspaceId", p.campaign_id as "campaignId", p.account_id as "accountId", p.state, p.text,
  p.first_comment as "firstComment", p.scheduled_at as "scheduledAt", p.local_at as "localAt", p.timezone, p.version,
  p.approved, p.approved_version as "approvedVersion", p.approved_media as "approvedMedia",
  p.submitted_at as "submittedAt", p.decided_at as "decidedAt", p.decided_by as "decidedBy",
  p.decided_by_user as "decidedByUser", p.reason, p.reviewers, p.authors, p.failure, p.action_id as "actionId",
  p.comment_action_id as "commentActionId", p.social_id as "socialId", p.external_url as "externalUrl",
  p.published_at as "publishedAt", p.verified_at as "verifiedAt", p.comment_published_at as "commentPublishedAt",
  p.made_by as "madeBy", p.created_at as "createdAt", p.updated_at as "updatedAt",
  case when s.state in ('claimed', 'dispatched', 'unknown') then s.state end as "sendState",
  case when s.state = 'unknown' and s.dead_letter_state = 'open' then s.id end as "deadSendId",
  a.wait_reason as "waitReason"
  from content_post p
  left join action a on a.id = p.action_id and a.ended_at is null
  left join send s on s.id = a.send_id`;

/** @returns undefined when the transaction sees no such post */
export function readPost(tx: Tx, id: string): Promise<ContentPost | undefined> {
  return tx.row<ContentPost>(`select ${POST} where p.id::text = $1`, [id]);
}

/** As {@link readPost}; what publishes it waits for the end of the transaction. */
export async function lockPost(tx: Tx, id: string): Promise<ContentPost | undefined> {
  await tx.exec('select app.lock_post(id) from content_post where id::text = $1', [id]);
  return readPost(tx, id);
}

/** Which posts of a workspace. */
export interface PostsQuery {
  workspaceId: string;
  state: PostState | null;
  failedOnly: boolean;
}

type Position = readonly (string | number | null)[] | null;

/** Posts of a workspace, the newest first. */
export function postsOf(tx: Tx, of: PostsQuery, page: { after: Position; limit: number }): Promise<ContentPost[]> {
  return tx.rows<ContentPost>(
    `select ${POST}
     where p.workspace_id = $1
       and ($2::text is null or p.state = $2)
       and (not $3 or p.failure is not null)
       and ($4::bigint is null or (p.created_at, p.id) < ($4, $5::uuid))
     order by p.created_at desc, p.id desc limit $6`,
    [of.workspaceId, of.state, of.failedOnly, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit],
  );
}

/** When a post is, or was, to be seen. */
export const POST_TIME = 'coalesce(p.published_at, p.scheduled_at)';

/** Scheduled and published posts within a time, the earliest first. @param of `from`, `until`: epoch ms, the end not with it */
export function postsBetween(
  tx: Tx,
  of: { workspaceId: string; accountId: string | null; from: number; until: number },
  page: { after: Position; limit: number },
): Promise<ContentPost[]> {
  return tx.rows<ContentPost>(
    `select ${POST}
     where p.workspace_id = $1
       and p.state in ('scheduled', 'published')
       and ($2::text is null or p.account_id = $2)
       and ${POST_TIME} >= $3
       and ${POST_TIME} < $4
       and ($5::bigint is null or (${POST_TIME}, p.id) > ($5, $6::uuid))
     order by ${POST_TIME}, p.id limit $7`,
    [of.workspaceId, of.accountId, of.from, of.until, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit],
  );
}

/** Posts of an account beside one, scheduled or published near a time, or with the newest texts: for warnings. */
export function neighboursOf(
  tx: Tx,
  of: { accountId: string; exceptId: string; since: number },
): Promise<{ id: string; text: string; at: number | null; state: PostState }[]> {
  return tx.rows(
    `select p.id, p.text, ${POST_TIME} as at, p.state
     from content_post p
     where p.account_id = $1
       and p.id::text <> $2
       and p.state in ('scheduled', 'published')
       and ${POST_TIME} >= $3
     order by ${POST_TIME} desc limit 500`,
    [of.accountId, of.exceptId, of.since],
  );
}

/** A post that is new. */
export type NewPost = Pick<
  ContentPost,
  | 'id'
  | 'workspaceId'
  | 'campaignId'
  | 'accountId'
  | 'text'
  | 'firstComment'
  | 'scheduledAt'
  | 'localAt'
  | 'timezone'
  | 'authors'
  | 'madeBy'
> & { now: number };

/** Makes a draft. */
export async function insertPost(tx: Tx, post: NewPost): Promise<void> {
  await tx.exec(
    `insert into content_post (id, workspace_id, campaign_id, account_id, state, text, first_comment, scheduled_at,
       local_at, timezone, authors, made_by, created_at, updated_at)
     values ($1, $2, $3, $4, 'draft', $5, $6, $7, $8, $9, $10, $11, $12, $12)`,
    [
      post.id,
      post.workspaceId,
      post.campaignId,
      post.accountId,
      post.text,
      post.firstComment,
      post.scheduledAt,
      post.localAt,
      post.timezone,
      post.authors,
      post.madeBy,
      post.now,
    ],
  );
}

/** What deeds of people change of a post. */
export type PostChange = Partial<
  Pick<
    ContentPost,
    | 'state'
    | 'accountId'
    | 'text'
    | 'firstComment'
    | 'scheduledAt'
    | 'localAt'
    | 'timezone'
    | 'version'
    | 'approved'
    | 'approvedVersion'
    | 'approvedMedia'
    | 'submittedAt'
    | 'decidedAt'
    | 'decidedBy'
    | 'decidedByUser'
    | 'reason'
    | 'reviewers'
    | 'authors'
    | 'failure'
    | 'actionId'
    | 'commentActionId'
  >
>;

const COLUMN_OF: Readonly<Record<keyof PostChange, string>> = {
  state: 'state',
  accountId: 'account_id',
  text: 'text',
  firstComment: 'first_comment',
  scheduledAt: 'scheduled_at',
  localAt: 'local_at',
  timezone: 'timezone',
  version: 'version',
  approved: 'approved',
  approvedVersion: 'approved_version',
  approvedMedia: 'approved_media',
  submittedAt: 'submitted_at',
  decidedAt: 'decided_at',
  decidedBy: 'decided_by',
  decidedByUser: 'decided_by_user',
  reason: 'reason',
  reviewers: 'reviewers',
  authors: 'authors',
  failure: 'failure',
  actionId: 'action_id',
  commentActionId: 'comment_action_id',
};

/** Changes a post; lock it first. */
export async function changePost(tx: Tx, id: string, change: PostChange, now: number): Promise<void> {
  const names = Object.keys(change) as (keyof PostChange)[];
  const sets = names.map((name, at) => `${COLUMN_OF[name]} = $${at + 3}`);
  const values = names.map((name) =>
    name === 'failure' && change.failure ? JSON.stringify(change.failure) : change[name],
  );
  await tx.exec(
    `update content_post set ${[...sets, 'updated_at = greatest($2, updated_at + 1)'].join(', ')} where id = $1`,
    [id, now, ...values],
  );
}

/** Deletes a post with its media and its history; what the ledger knows of it stays. */
export async function deletePost(tx: Tx, id: string): Promise<void> {
  await tx.exec('delete from content_post where id = $1', [id]);
}

/** Why a part was not planned; null: it was. */
export type PlanPostRefusal = 'not_found' | 'publishing' | 'already_sent';

/**
 * Plans that a part goes out at `dueAt`, and not after `expiresAt` (app.plan_post).
 * @param plan `by`: address or key of who asks; times epoch ms, product time
 */
export async function planPost(
  tx: Tx,
  postId: string,
  plan: { part: 'post' | 'comment'; id: string; dueAt: number; expiresAt: number; by: string },
  now: number,
): Promise<PlanPostRefusal | null> {
  const row = await tx.row<{ refusal: PlanPostRefusal | null }>(
    'select app.plan_post($1, $2, $3, $4, $5, $6, $7) as refusal',
    [postId, plan.part, plan.id, plan.dueAt, plan.expiresAt, plan.by, now],
  );
  return row?.refusal ?? null;
}

/** A line of a post's history. */
export interface PostMark {
  at: number;
  kind: string;
  actor: string;
  text: string;
  data: JsonObject;
}

/** Adds to the history of a post. */
export async function markPost(tx: Tx, post: Pick<ContentPost, 'id' | 'workspaceId'>, mark: PostMark): Promise<void> {
  await tx.exec(
    `insert into content_mark (workspace_id, post_id, at, kind, actor, text, data) values ($1, $2, $3, $4, $5, $6, $7)`,
    [post.workspaceId, post.id, mark.at, mark.kind, mark.actor, mark.text, JSON.stringify(mark.data)],
  );
}

/** The newest 200 lines of a post's history, oldest first. */
export async function marksOf(tx: Tx, postId: string): Promise<PostMark[]> {
  const rows = await tx.rows<PostMark>(
    'select at, kind, actor, text, data from content_mark where post_id::text = $1 order by id desc limit 200',
    [postId],
  );
  return rows.reverse();
}

/** Tells what happened to a post, for all who follow the events of its workspace. */
export async function tellPost(
  tx: Tx,
  post: Pick<ContentPost, 'id' | 'workspaceId'>,
  event: { kind: EventKind; at: number; actor: string; text: string; data?: JsonObject },
): Promise<void> {
  await tx.exec(`insert into run_event (workspace_id, at, kind, actor, text, data) values ($1, $2, $3, $4, $5, $6)`, [
    post.workspaceId,
    event.at,
    event.kind,
    event.actor,
    event.text,
    JSON.stringify({ ...event.data, contentPostId: post.id }),
  ]);
}

/** Times of scheduled and published posts within a time, at most 5,000. */
export function postDays(
  tx: Tx,
  of: { workspaceId: string; accountId: string | null; from: number; until: number },
): Promise<{ id: string; accountId: string; at: number }[]> {
  return tx.rows(
    `select p.id, p.account_id as "accountId", ${POST_TIME} as at
     from content_post p
     where p.workspace_id = $1
       and p.state in ('scheduled', 'published')
       and ($2::text is null or p.account_id = $2)
       and ${POST_TIME} >= $3
       and ${POST_TIME} < $4
     order by ${POST_TIME} limit 5000`,
    [of.workspaceId, of.accountId, of.from, of.until],
  );
}
