import { z } from 'zod';
import { HttpError } from '../../base/http/http-error.ts';
import type { Database } from '../../postgres/database.ts';
import { endOwnSession, sessionsOfUser } from '../../store/console/own-sessions.ts';
import type { McpExchange } from '../exchange.ts';
import { sendJson } from '../http-io.ts';
import type { OpenSession } from './console-sessions.ts';
import { bodyOf } from './console-sign-in.ts';

const endBody = z.strictObject({ sessionId: z.uuid() });

/** Tells where somebody is signed in. */
export async function answerSessions(
  db: Database,
  { response }: McpExchange,
  { sessionId, userId }: OpenSession,
): Promise<void> {
  const found = await db.tx({ kind: 'platform' }, (tx) => sessionsOfUser(tx, userId));
  const sessions = found.map(({ id, way, signedInAt, seenAt }) => ({
    sessionId: id,
    way,
    signedInAt: new Date(signedInAt).toISOString(),
    seenAt: new Date(seenAt).toISOString(),
    current: id === sessionId,
  }));
  sendJson(response, 200, JSON.stringify({ sessions }));
}

/** Ends another session of the same user. @throws HttpError 400, 404 for one that is not theirs, or is over */
export async function endSessionOf(
  db: Database,
  { request, response }: McpExchange,
  { userId }: OpenSession,
): Promise<void> {
  const { sessionId } = await bodyOf(request, endBody, '{"sessionId": "…"}');
  const ended = await db.tx({ kind: 'platform' }, (tx) => endOwnSession(tx, userId, sessionId));
  if (!ended) throw new HttpError(404, 'This session is not one of yours, or it has ended already.');
  response.writeHead(204).end();
}
