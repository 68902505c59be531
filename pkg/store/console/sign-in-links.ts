import type { Tx } from '../../postgres/database.ts';
import { hashToken } from '../tenancy/invitations.ts';
import { newToken } from './console-tokens.ts';

/** Minutes for which a mailed link signs in. */
export const LINK_MINUTES = 15;
/**
 * Minutes after a link in which no other is made while it is unused and works: strangers who ask in a name mail its owner so much at
 * most. There is no bound of a day, so that what they ask keeps nobody out for longer; the mailed link works meanwhile.
 */
const PAUSE_MINUTES = 5;
/** Days for which is kept that a link was used. */
const KEPT_DAYS = 7;

/** A user who may sign in: somebody proved the address, and is a member somewhere or an admin of the platform. */
export async function userOfAddress(tx: Tx, email: string): Promise<string | undefined> {
  const row = await tx.row<{ id: string }>(
    `select u.id
     from app_user u
     where lower(u.email) = lower($1)
       and not u.unproven
       and (
         u.platform_admin
         or exists (
           select 1 from member m
           join workspace w on w.id = m.workspace_id and w.deleted_at is null
           where m.user_id = u.id
         )
       )`,
    [email],
  );
  return row?.id;
}

/** A new link of a user; undefined: they just got one that waits to be used. */
export async function makeSignInLink(tx: Tx, id: string, userId: string): Promise<string | undefined> {
  // Those that ask at once see each other.
  await tx.row('select 1 from app_user where id = $1 for no key update', [userId]);
  const token = newToken();
  const made = await tx.exec(
    `insert into console_link (id, token_hash, kind, user_id, expires_at)
     select $1, $2, 'sign_in', $3, clock_timestamp() + make_interval(mins => $4)
     where not exists (
       select 1 from console_link l
       where l.user_id = $3
         and l.kind = 'sign_in'
         and l.used_at is null
         and l.expires_at > clock_timestamp()
         and l.made_at > clock_timestamp() - make_interval(mins => $5)
     )`,
    [id, hashToken(token), userId, LINK_MINUTES, PAUSE_MINUTES],
  );
  return made > 0 ? token : undefined;
}

/** Whether a link may still be used. */
export async function isOpenLink(tx: Tx, token: string): Promise<boolean> {
  return (
    (await tx.row(
      `select 1 from console_link
       where token_hash = $1 and kind = 'sign_in' and used_at is null and expires_at > clock_timestamp()`,
      [hashToken(token)],
    )) !== undefined
  );
}

/** Uses a link, once; all others of its user end. @returns the user's id; undefined: it is used, over or none */
export async function useSignInLink(tx: Tx, token: string): Promise<string | undefined> {
  const link = await tx.row<{ userId: string }>(
    `update console_link
     set used_at = clock_timestamp()
     where token_hash = $1 and kind = 'sign_in' and used_at is null and expires_at > clock_timestamp()
     returning user_id as "userId"`,
    [hashToken(token)],
  );
  if (!link) return undefined;
  await tx.exec(
    `update console_link
     set expires_at = least(expires_at, clock_timestamp())
     where user_id = $1 and kind = 'sign_in' and used_at is null`,
    [link.userId],
  );
  return link.userId;
}

/** Forgets sessions and links that ended long ago; that somebody claimed stays. */
export async function forgetEnded(tx: Tx): Promise<void> {
  await tx.exec(
    `delete from console_session
     where least(expires_at, ended_at) < clock_timestamp() - make_interval(days => $1)`,
    [KEPT_DAYS],
  );
  await tx.exec(
    `delete from console_link
     where expires_at < clock_timestamp() - make_interval(days => $1) and (kind <> 'claim' or used_at is null)`,
    [KEPT_DAYS],
  );
  // What a browser brings back once: nobody asks again what became of it.
  await tx.exec(
    `delete from console_link where kind in ('oidc', 'passkey', 'new_passkey') and expires_at < clock_timestamp()`,
  );
}
