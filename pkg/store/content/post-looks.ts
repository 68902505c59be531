import type { Tx } from '../../postgres/database.ts';

/** What a look at a published post needs. */
export interface LookedPost {
  id: string;
  workspaceId: string;
  accountId: string;
  provider: string;
  externalId: string;
  text: string;
  socialId: string | null;
  createdAt: number;
  publishedAt: number;
}

/** A post of the lease's workspace that went out; undefined: it is gone, or its account is. */
export function readLookedPost(tx: Tx, postId: string): Promise<LookedPost | undefined> {
  return tx.row<LookedPost>(
    `select p.id, p.workspace_id as "workspaceId", p.account_id as "accountId", a.provider,
       a.external_id as "externalId", p.text, p.social_id as "socialId", p.created_at as "createdAt",
       p.published_at as "publishedAt"
     from content_post p
     cross join lateral app.accounts_of(array[p.account_id]) a
     where p.id::text = $1 and p.published_at is not null`,
    [postId],
  );
}

/** Why the network may not be asked through an account of the lease's workspace now; null: it may (app.look_stop). */
export async function stopOfLook(tx: Tx, accountId: string, now: number): Promise<string | null> {
  const row = await tx.row<{ stop: string | null }>('select app.look_stop($1, $2) as stop', [accountId, now]);
  return row?.stop ?? null;
}

/** Keeps that a post was seen online with its whole text, and where. @param now epoch ms, product time */
export async function verifyPost(
  tx: Tx,
  postId: string,
  seen: { socialId: string; url: string | null },
  now: number,
): Promise<void> {
  await tx.exec(
    `update content_post
     set
       verified_at = $2,
       social_id = $3,
       external_url = coalesce($4, external_url),
       updated_at = greatest($2, updated_at)
     where id = $1`,
    [postId, now, seen.socialId, seen.url],
  );
}

/** Keeps that a post is not online as it was sent (app.fail_content). @param now epoch ms, product time */
export async function failPost(
  tx: Tx,
  postId: string,
  failure: { code: 'absent' | 'truncated'; message: string },
  now: number,
): Promise<void> {
  await tx.exec('select app.fail_content($1, $2, $3, $4, 1, true, $5)', [
    postId,
    'post',
    failure.code,
    failure.message,
    now,
  ]);
}
