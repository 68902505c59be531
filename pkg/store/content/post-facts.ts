import { type Clearance, isClearedPost } from '../../domain/content/cleared.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** What the executor has to know of a post whose part is due. */
export interface PostFacts {
  id: string;
  version: number;
  /** It may go out ({@link isClearedPost}). */
  cleared: boolean;
  /** What the network calls it, once it is online. */
  socialId: string | null;
  /** Epoch ms, product time. */
  createdAt: number;
}

/** Posts of the lease's workspace by their ids. */
export async function readPostFacts(tx: Tx, ids: readonly string[]): Promise<Map<string, PostFacts>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<Omit<PostFacts, 'cleared'> & Clearance>(
    `select
       p.id,
       p.version,
       coalesce((w.settings ->> 'contentApprovalRequired')::boolean, false) as required,
       p.approved,
       p.approved_version as "approvedVersion",
       p.decided_by_user as "decidedByUser",
       p.authors,
       p.social_id as "socialId",
       p.created_at as "createdAt"
     from content_post p
     join workspace w on w.id = p.workspace_id
     where p.id = any ($1::uuid[])`,
    [arrayText(ids)],
  );
  return new Map(
    rows.map((row) => {
      const { id, version, socialId, createdAt } = row;
      return [id, { id, version, cleared: isClearedPost(row), socialId, createdAt }];
    }),
  );
}

/** When accounts published last (epoch ms, product time), whichever workspace asked for it (app.last_posts). */
export async function readLastPosts(tx: Tx, accountIds: readonly string[], now: number): Promise<Map<string, number>> {
  if (accountIds.length === 0) return new Map();
  const rows = await tx.rows<{ accountId: string; at: number }>(
    'select account_id as "accountId", at from app.last_posts($1::text[], $2)',
    [arrayText(accountIds), now],
  );
  return new Map(rows.map((row) => [row.accountId, row.at]));
}
