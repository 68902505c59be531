import type { IncomingMessage } from 'node:http';
import { HttpError } from '../../base/http/http-error.ts';
import type { Caller } from '../../tools/tool-context.ts';
import type { Exchange } from '../exchange.ts';
import type { MessageServices } from '../handle-message.ts';
import { accepts, checkVersionHeader } from '../request-checks.ts';
import { knowsPriming } from '../rpc.ts';
import { keepStanding, type SessionStreams } from '../streams/standing-stream.ts';
import type { OpenSession } from './open-session.ts';

/** HEAD: whether GET would be given a stream, without one. @throws HttpError 401, 404, 406 */
export async function tellStream(
  { gate }: MessageServices,
  { request, response, authenticated }: Exchange,
  session: OpenSession,
): Promise<void> {
  checkStreamRequest(request);
  await gate.current({ authenticated, sessionHash: session.hash });
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' }).end();
}

/** GET: the stream of a session. @throws HttpError 401, 404, 406, 429 */
export async function serveStream(
  { gate, ids }: MessageServices,
  streams: SessionStreams,
  { request, response, authenticated }: Exchange,
  session: OpenSession,
): Promise<void> {
  checkStreamRequest(request);
  const caller = async (): Promise<Caller> => (await gate.current({ authenticated, sessionHash: session.hash })).caller;
  const { keyId } = await caller();
  const lastEventId = request.headers['last-event-id'];
  await keepStanding(streams, {
    session,
    streamId: ids.uuid(),
    keyId,
    response,
    primes: knowsPriming(session.version),
    lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
    caller,
  });
}

/** @throws HttpError 400, 406 */
function checkStreamRequest(request: IncomingMessage): void {
  if (!accepts(request, 'text/event-stream')) throw new HttpError(406, 'Accept must list text/event-stream.');
  checkVersionHeader(request);
}
