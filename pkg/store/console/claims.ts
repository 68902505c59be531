import type { Ids } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { hashToken } from '../tenancy/invitations.ts';
import { ensurePlatformAdmin } from '../tenancy/platform-admin.ts';
import { newToken } from './console-tokens.ts';

/** Seconds for which a claim link may be used. */
const CLAIM_SECONDS = 60 * 60;

/** Whether somebody became the first admin by a claim link. */
export async function isClaimed(tx: Tx): Promise<boolean> {
  return (
    (await tx.row(`select 1 from console_link where kind = 'claim' and used_at is not null limit 1`)) !== undefined
  );
}

/** A new claim link's token. @param workspaces the one who claims becomes an admin of them */
export async function makeClaim(
  tx: Tx,
  { id, workspaces = [], token = newToken() }: { id: string; workspaces?: readonly string[]; token?: string },
): Promise<string> {
  await tx.exec(
    `insert into console_link (id, token_hash, kind, workspaces, expires_at)
     values ($1, $2, 'claim', $3, clock_timestamp() + make_interval(secs => $4))
     on conflict (token_hash) do nothing`,
    [id, hashToken(token), workspaces, CLAIM_SECONDS],
  );
  return token;
}

export interface ClaimRequest {
  token: string;
  email: string;
  name: string;
  ids: Ids;
  /** Epoch ms UTC, product time. */
  now: number;
}

/**
 * Makes the holder of a claim link a platform admin under the address that they say: the link comes from the platform's operator, who
 * could name any. It works once, and all other open ones end. @returns the user's id; undefined: the link is used, over or none
 */
export async function claim(tx: Tx, { token, email, name, ids, now }: ClaimRequest): Promise<string | undefined> {
  const link = await tx.row<{ id: string; workspaces: string[] }>(
    `update console_link
     set used_at = clock_timestamp()
     where token_hash = $1 and kind = 'claim' and used_at is null and expires_at > clock_timestamp()
     returning id, workspaces`,
    [hashToken(token)],
  );
  if (!link) return undefined;
  const userId = await ensurePlatformAdmin(tx, { id: ids.uuid(), email, name, now });
  await tx.exec(`update app_user set name = $2 where id = $1 and name = ''`, [userId, name]);
  await tx.exec('update console_link set user_id = $2 where id = $1', [link.id, userId]);
  await tx.exec(`delete from console_link where kind = 'claim' and used_at is null`);
  for (const workspaceId of link.workspaces) {
    await tx.exec(
      `insert into member (id, workspace_id, user_id, role, joined_at)
       select $1, w.id, $3, 'admin', $4 from workspace w where w.id = $2 and w.deleted_at is null
       on conflict (workspace_id, user_id) do nothing`,
      [ids.uuid(), workspaceId, userId, now],
    );
  }
  return userId;
}
