import { endSessionRow } from '../../store/sessions/sessions.ts';
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
  if (!(await db.tx({ kind: 'none' }, (tx) => endSessionRow(tx, hash)))) throw sessionGone();
  await gate.sessionEnded(authenticated);
  response.writeHead(204).end();
}
