import type { Tx } from '../../postgres/database.ts';
import type { SignInWay } from './console-sessions.ts';

/** A session as its own user sees it. */
export interface OwnSession {
  id: string;
  way: SignInWay;
  /** Epoch ms, real time. */
  signedInAt: number;
  /** Exact to a minute. */
  seenAt: number;
}

/** Sessions that are shown at most: more are never open. */
const MOST = 50;

/** The open sessions of a user, the one that was used last first. Needs a platform transaction. */
export function sessionsOfUser(tx: Tx, userId: string): Promise<OwnSession[]> {
  return tx.rows<OwnSession>(
    `select
       id,
       way,
       (extract(epoch from signed_in_at) * 1000)::float8 as "signedInAt",
       (extract(epoch from seen_at) * 1000)::float8 as "seenAt"
     from console_session
     where user_id = $1 and ended_at is null and expires_at > clock_timestamp()
     order by seen_at desc, id
     limit ${MOST}`,
    [userId],
  );
}

/** Ends a session of a user's own. @returns whether it was one that was open */
export async function endOwnSession(tx: Tx, userId: string, sessionId: string): Promise<boolean> {
  const ended = await tx.row(
    `update console_session
     set ended_at = clock_timestamp()
     where id = $1 and user_id = $2 and ended_at is null
     returning 1`,
    [sessionId, userId],
  );
  return ended !== undefined;
}
