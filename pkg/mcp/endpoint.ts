import { HttpError } from '../base/http/http-error.ts';
import type { BodyRoom } from './body-room.ts';
import { CallBodies } from './call-bodies.ts';
import { RpcError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { MessageServices } from './handle-message.ts';
import { OtherRequests } from './other-requests.ts';
import { checkContentHeaders, parseBody } from './request-checks.ts';
import { recordOf } from './resources/records.ts';
import { type RpcMessage, STATELESS_VERSION } from './rpc.ts';
import { CancelledCalls } from './sessions/cancelled-calls.ts';
import { endSession } from './sessions/end-session.ts';
import { initialize } from './sessions/initialize.ts';
import { openSession } from './sessions/open-session.ts';
import { type PostedMessages, type SessionServices, serveSession } from './sessions/serve-session.ts';
import { serveStream, tellStream } from './sessions/serve-stream.ts';
import { SessionTokens } from './sessions/session-token.ts';
import { isStateless } from './stateless/era.ts';
import { serveStateless } from './stateless/serve-stateless.ts';
import { EventLog } from './streams/event-log.ts';
import { EventStreams } from './streams/event-streams.ts';
import type { SessionStreams } from './streams/standing-stream.ts';
import { ResourceWatcher } from './streams/watcher.ts';

export interface EndpointOptions {
  /** Signs session ids and seals what is kept of their streams. */
  sessionSecret: string;
  /** Milliseconds that a body waits for room before it is refused. */
  bodyWaitMs: number | undefined;
  /** Where large bodies are counted; absent: in a room of its own. */
  largeBodies?: BodyRoom | undefined;
}

/** POST, GET and DELETE of /mcp. */
export class Endpoint {
  readonly #services: MessageServices;
  readonly #tokens: SessionTokens;
  readonly #streams: SessionStreams;
  readonly #bodies: CallBodies;
  readonly #others = new OtherRequests();
  readonly #cancelled: CancelledCalls;
  readonly #sessions: SessionServices;

  constructor(services: MessageServices, { sessionSecret, bodyWaitMs, largeBodies }: EndpointOptions) {
    this.#services = services;
    this.#tokens = new SessionTokens(sessionSecret);
    this.#bodies = new CallBodies({ clock: services.clocks.real, waitMs: bodyWaitMs, large: largeBodies });
    this.#cancelled = new CancelledCalls(services.db, services.running);
    this.#streams = {
      db: services.db,
      streams: new EventStreams(services.metrics.streams),
      watcher: new ResourceWatcher(services.db, services.log, (uri) => scopeOf(services, uri)),
      log: new EventLog(services.db, sessionSecret),
    };
    this.#sessions = { services, cancelled: this.#cancelled, log: this.#streams.log };
  }

  /** What was notified. @returns false when it is of no cancelled call */
  announced(payload: string): boolean {
    return this.#cancelled.announced(payload);
  }

  /** Ends what stays open. */
  stop(): void {
    this.#cancelled.stop();
    this.#streams.streams.stop();
  }

  /** @throws HttpError 405 for another method, and what the methods throw */
  serve(exchange: Exchange): Promise<void> {
    if (exchange.request.method !== 'POST') return this.#other(exchange);
    checkContentHeaders(exchange.request);
    return this.#bodies.with(exchange, (body) => this.#post(exchange, body));
  }

  /** What is not async of it refuses a flood. */
  #post(exchange: Exchange, body: string): Promise<void> | undefined {
    const posted = parseBody(body);
    const { messages, batch } = posted;
    this.#others.count(exchange.authenticated, countNoCalls(messages));
    if (isStateless(exchange.request.headers, batch ? undefined : messages[0]))
      return this.#stateless(exchange, posted);
    if (messages.some((message) => message.method === 'initialize'))
      return initialize(this.#services, this.#tokens, exchange, messages);
    const session = openSession(this.#services, this.#tokens, exchange);
    return serveSession(this.#sessions, exchange, session, posted);
  }

  #stateless(exchange: Exchange, { messages, batch }: PostedMessages): Promise<void> | undefined {
    const [message] = messages;
    if (batch || !message) throw new RpcError(-32_600, 'Batches are not part of protocol version 2026-07-28.');
    return serveStateless(this.#services, this.#streams, { ...exchange, message });
  }

  async #other(exchange: Exchange): Promise<void> {
    const { method, headers } = exchange.request;
    // Without a session there is nothing to stream or to end.
    if (headers['mcp-protocol-version'] === STATELESS_VERSION) {
      throw new HttpError(405, `Use POST on /mcp: ${STATELESS_VERSION} has no sessions.`, { allow: 'POST' });
    }
    this.#others.count(exchange.authenticated, 1);
    if (method !== 'GET' && method !== 'HEAD' && method !== 'DELETE') {
      throw new HttpError(405, 'Use POST, GET or DELETE on /mcp.', { allow: 'POST, GET, DELETE' });
    }
    const session = openSession(this.#services, this.#tokens, exchange);
    if (method === 'GET') await serveStream(this.#services, this.#streams, exchange, session);
    else if (method === 'HEAD') await tellStream(this.#services, exchange, session);
    else await endSession(this.#services, exchange, session);
  }
}

/** How many are no calls; calls and new sessions have limits of their own. */
function countNoCalls(messages: readonly RpcMessage[]): number {
  let count = 0;
  for (const { method } of messages) if (method !== 'tools/call' && method !== 'initialize') count++;
  return count;
}

/** The scope that reads a record: that of the tool behind it. */
function scopeOf({ tools }: MessageServices, uri: string): string | undefined {
  const record = recordOf(uri);
  return record && tools.get(record.resource.readTool)?.scope;
}
