import { sessionGone } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import type { MessageServices } from '../handle-message.ts';
import type { OpenSession } from './open-session.ts';

/** DELETE: the session is gone on every replica. @throws HttpError 404 when it was already */
export async function endSession(
  { db, gate }: MessageServices,
  { authenticated, response }: Exchange,
  { hash }: OpenSession,
): Promise<void> {
  const made = await db.pool.query('insert into session_end (session_hash) values ($1) on conflict do nothing', [hash]);
  await db.pool.query(`delete from session_end where ended_at < clock_timestamp() - interval '2 days'`);
  if (made.rowCount === 0) throw sessionGone();
  await db.pool.query('delete from resource_subscription where session_hash = $1', [hash]);
  await gate.sessionEnded(authenticated);
  response.writeHead(204).end();
}
