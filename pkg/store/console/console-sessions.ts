import type { Tx } from '../../postgres/database.ts';
import { type KeyWorkspace, workspacesOfUser } from '../tenancy/api-keys.ts';
import { hashToken } from '../tenancy/invitations.ts';
import { newToken } from './console-tokens.ts';

/** By what somebody signed in. */
export type SignInWay = 'claim' | 'mail' | 'oidc' | 'passkey';

/** Seconds after its last use for which a session stays open. */
export const SESSION_SECONDS = 12 * 60 * 60;
/** However busy it is, a session ends after so many days. */
const SESSION_DAYS = 30;
/** When a session `s` is open; every statement that asks has it from here. */
export const IS_OPEN = `s.ended_at is null
       and s.expires_at > clock_timestamp()
       and s.signed_in_at > clock_timestamp() - interval '${SESSION_DAYS} days'`;
/** Open sessions of a user; the oldest end. */
const MOST_SESSIONS = 20;

/** An open session with what its user may see. */
export interface SessionRecord {
  id: string;
  user: { id: string; name: string; email: string; platformAdmin: boolean };
  /** Epoch ms, real time. */
  signedInAt: number;
  /** Whether its last use is to be noted. */
  stale: boolean;
  workspaces: KeyWorkspace[];
}

/**
 * The open session of a token; undefined: there is none, or its user is no user any more: one who lost the
 * last workspace is signed out. Needs a platform transaction.
 */
export async function findSession(tx: Tx, token: string): Promise<SessionRecord | undefined> {
  const [row] = await tx.named<Omit<SessionRecord, 'workspaces'>>(
    'console_session',
    `select
       s.id,
       (extract(epoch from s.signed_in_at) * 1000)::float8 as "signedInAt",
       s.seen_at < clock_timestamp() - interval '1 minute' as stale,
       jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email, 'platformAdmin', u.platform_admin) as "user"
     from console_session s
     join app_user u on u.id = s.user_id and not u.unproven
     where s.token_hash = $1
       and ${IS_OPEN}`,
    [hashToken(token)],
  );
  if (!row) return undefined;
  const workspaces = await workspacesOfUser(tx, row.user.id);
  return workspaces.length > 0 || row.user.platformAdmin ? { ...row, workspaces } : undefined;
}

/** What the user of an open session may see, by its id; undefined: it is over. Needs a platform transaction. */
export async function workspacesOfSession(tx: Tx, sessionId: string): Promise<KeyWorkspace[] | undefined> {
  const row = await tx.row<{ userId: string }>(
    `select s.user_id as "userId"
     from console_session s
     join app_user u on u.id = s.user_id and not u.unproven
     where s.id = $1 and ${IS_OPEN}`,
    [sessionId],
  );
  return row && workspacesOfUser(tx, row.userId);
}

/** Opens a session; the one that the browser had before ends. @returns what the cookie holds */
export async function openSession(
  tx: Tx,
  session: { id: string; userId: string; way: SignInWay; before: string | undefined },
): Promise<string> {
  if (session.before !== undefined) await endSession(tx, session.before);
  const token = newToken();
  await tx.exec(
    `insert into console_session (id, token_hash, user_id, way, expires_at)
     values ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5))`,
    [session.id, hashToken(token), session.userId, session.way, SESSION_SECONDS],
  );
  await tx.exec(
    `update console_session
     set ended_at = clock_timestamp()
     where id in (
       select id from console_session
       where user_id = $1 and ended_at is null
       order by seen_at desc, id
       offset $2
     )`,
    [session.userId, MOST_SESSIONS],
  );
  return token;
}

/** Notes that a session was used, which keeps it open. */
export async function keepSession(tx: Tx, id: string): Promise<void> {
  await tx.exec(
    `update console_session
     set seen_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => $2)
     where id = $1 and ended_at is null`,
    [id, SESSION_SECONDS],
  );
}

/** Ends the session of a token. */
export async function endSession(tx: Tx, token: string): Promise<void> {
  await tx.exec('update console_session set ended_at = clock_timestamp() where token_hash = $1 and ended_at is null', [
    hashToken(token),
  ]);
}

/** Signs a user out everywhere. */
export async function endSessionsOfUser(tx: Tx, userId: string): Promise<void> {
  await tx.exec('update console_session set ended_at = clock_timestamp() where user_id = $1 and ended_at is null', [
    userId,
  ]);
}
