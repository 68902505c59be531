import type { Tx } from '../../postgres/database.ts';
import { IS_OPEN, type SignInWay } from './console-sessions.ts';

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
       s.id,
       s.way,
       (extract(epoch from s.signed_in_at) * 1000)::float8 as "signedInAt",
       (extract(epoch from s.seen_at) * 1000)::float8 as "seenAt"
     from console_session s
     where s.user_id = $1 and ${IS_OPEN}
     order by s.seen_at desc, s.id
     limit ${MOST}`,
    [userId],
  );
}

/** Ends a session of a user's own. @returns whether it was one that was open */
export async function endOwnSession(tx: Tx, userId: string, sessionId: string): Promise<boolean> {
  const ended = await tx.row(
    `update console_session s
     set ended_at = clock_timestamp()
     where s.id = $1 and s.user_id = $2 and ${IS_OPEN}
     returning 1`,
    [sessionId, userId],
  );
  return ended !== undefined;
}
