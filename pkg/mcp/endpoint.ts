import { every } from '../base/clock.ts';
import { HttpError } from '../base/http/http-error.ts';
import { countFault } from '../metrics/mcp-metrics.ts';
import type { Caller } from '../tools/tool-context.ts';
import { upToDate } from './admit-call.ts';
import type { Authenticated } from './authentication.ts';
import { BodyRoom } from './body-room.ts';
import { INSTRUCTIONS, SESSION_CAPABILITIES, serverInfo } from './capabilities.ts';
import { RpcError, rpcErrorBody, toRpcError } from './errors.ts';
import { GENERATION_CHANNEL } from './generations.ts';
import { handleMessage, type MessageContext, type MessageServices } from './handle-message.ts';
import { announcedBytes, MAX_BODY_BYTES, readCall, sendJson } from './http-io.ts';
import { JsonAnswer } from './json-answer.ts';
import { retrySeconds } from './limits.ts';
import type { McpExchange } from './mcp-app.ts';
import { SESSION_METHODS } from './methods/methods.ts';
import { narrowingOf } from './narrowing.ts';
import { OtherRequests } from './other-requests.ts';
import { checkContentHeaders, checkVersionHeader, parseBody } from './request-checks.ts';
import { recordOf } from './resources/records.ts';
import { negotiate, progressTokenOf, type RpcMessage, STATELESS_VERSION } from './rpc.ts';
import { RunningCalls } from './running-calls.ts';
import type { Session, SessionTokens } from './session-token.ts';
import { isStateless } from './stateless/era.ts';
import { serveStateless } from './stateless/serve-stateless.ts';
import { AnswerStream, type Resumption } from './streams/answer-stream.ts';
import { EventLog, type SessionKey } from './streams/event-log.ts';
import { EventStreams } from './streams/event-streams.ts';
import { keepStanding, type SessionStreams } from './streams/standing-stream.ts';
import { ResourceWatcher } from './streams/watcher.ts';

/** A request whose key is known. */
export interface Exchange extends McpExchange {
  authenticated: Authenticated;
}

/** What the announcement of a cancelled call begins with. */
export const CANCEL = 'cancel';

/** After this time (ms) a running call can be cancelled through another replica. */
const LISTEN_MS = 1_000;

const MB = 1024 * 1024;
/** Bodies up to this size never wait for large ones. */
const SMALL_BYTES = 65_536;
/** Real ms that a body waits for room; a request may take a minute. */
const BODY_WAIT_MS = 20_000;

/** The signal of what nobody can cancel. */
const NEVER = new AbortController().signal;

/** POST, GET and DELETE of /mcp. */
export class Endpoint {
  readonly #streams: SessionStreams;
  readonly #services: MessageServices;
  readonly #sessions: SessionTokens;
  readonly #running = new RunningCalls();
  readonly #others = new OtherRequests();
  readonly #small: BodyRoom;
  readonly #large: BodyRoom;
  readonly #stopListening: () => void;

  constructor(
    services: MessageServices,
    sessionSecret: string,
    { sessions, bodyWaitMs = BODY_WAIT_MS }: { sessions: SessionTokens; bodyWaitMs?: number | undefined },
  ) {
    this.#services = services;
    this.#small = new BodyRoom({ total: 64 * MB, perKey: 16 * MB, waitMs: bodyWaitMs });
    this.#large = new BodyRoom({ total: 64 * MB, perKey: 3 * MAX_BODY_BYTES, waitMs: bodyWaitMs });
    this.#stopListening = every(LISTEN_MS, async () => {
      // A connection inside a transaction hears nothing: while calls run, another one is there to hear of their end.
      if (this.#running.size > 0) await services.db.pool.query('select 1');
    });
    this.#sessions = sessions;
    this.#streams = {
      db: services.db,
      streams: new EventStreams(services.metrics.streams),
      watcher: new ResourceWatcher(services.db, services.log, (uri) => scopeOf(services, uri)),
      log: new EventLog(services.db, sessionSecret),
    };
  }

  /** Ends what stays open. */
  stop(): void {
    this.#stopListening();
    this.#streams.streams.stop();
  }

  /** @throws HttpError 405 for another method, and what the methods throw */
  async serve(exchange: Exchange): Promise<void> {
    const { method } = exchange.request;
    if (method === 'POST') return this.#post(exchange);
    // Without a session there is nothing to stream or to end.
    if (exchange.request.headers['mcp-protocol-version'] === STATELESS_VERSION) {
      throw new HttpError(405, `Use POST on /mcp: ${STATELESS_VERSION} has no sessions.`, { allow: 'POST' });
    }
    this.#others.count(exchange.authenticated, 1);
    if (method === 'GET') return this.#stream(exchange);
    if (method === 'DELETE') return this.#end(exchange);
    throw new HttpError(405, 'Use POST, GET or DELETE on /mcp.', { allow: 'POST, GET, DELETE' });
  }

  async #post(exchange: Exchange): Promise<void> {
    const { request, authenticated } = exchange;
    checkContentHeaders(request);
    // Internal callers are not limited.
    if (authenticated.hash === null) return this.#posted(exchange, await readCall(request));
    const bytes = announcedBytes(request);
    const room = await (bytes <= SMALL_BYTES ? this.#small : this.#large).take(authenticated.caller.keyId, bytes);
    try {
      const read = await readCall(request);
      room.shrink(read.length);
      await this.#posted(exchange, read);
    } finally {
      room.release();
    }
  }

  async #posted(exchange: Exchange, body: string): Promise<void> {
    const { request, response } = exchange;
    const { messages, batch } = parseBody(body);
    this.#others.count(exchange.authenticated, messages.filter(isNoCall).length);
    if (isStateless(request.headers, batch ? undefined : messages[0]))
      return this.#stateless(exchange, messages, batch);
    if (messages.some((message) => message.method === 'initialize')) return this.#initialize(exchange, messages);
    const { session, hash, token } = this.#session(exchange);
    checkVersionHeader(request);
    if (batch && session.version !== '2025-03-26') {
      throw new RpcError(-32600, `Batches are not part of protocol version ${session.version}.`);
    }
    const authenticated = await this.#current(exchange, hash, messages);
    await this.#cancel(hash, messages);
    if (messages.every((message) => message.method === undefined || message.notification)) {
      response.writeHead(202).end();
      return;
    }
    const context = this.#context({ ...exchange, authenticated }, session.version, hash);
    const stream = messages.some((message) => progressTokenOf(message.params) !== undefined)
      ? new AnswerStream(response, this.#resumption({ hash, token }, session.version))
      : undefined;
    const progress: MessageContext['progress'] = (...step) => stream?.progress(...step);
    const answers = await this.#answers({ ...context, progress }, messages);
    if (stream?.open) return stream.end(answers.map((answer) => answer.text));
    const [first] = answers;
    // Of calls that were cancelled nothing is said.
    if (!first) {
      response.writeHead(202).end();
      return;
    }
    sendJson(response, 200, batch ? `[${answers.map((answer) => answer.text).join(',')}]` : first);
  }

  /** Calls learn from their admission what is true now; everything else asks here. @throws HttpError 401, 404 */
  async #current(exchange: Exchange, sessionHash: Buffer, messages: RpcMessage[] = []): Promise<Authenticated> {
    const { authenticated } = exchange;
    if (authenticated.hash !== null && messages.some((message) => message.method === 'tools/call'))
      return authenticated;
    const { keyId } = authenticated.caller;
    const now = await this.#services.limiter.standing({ keyId, sessionHash });
    if (now.sessionEnded) throw sessionGone();
    return upToDate(this.#services, authenticated, now.version);
  }

  #context(exchange: Exchange, protocolVersion: string, sessionHash: Buffer): MessageContext {
    return {
      authenticated: exchange.authenticated,
      sessionHash,
      protocolVersion,
      narrowing: () => narrowingOf(exchange.request, this.#services.toolList.known),
      requestId: exchange.requestId,
      signal: NEVER,
      progress: () => undefined,
      refused: (seconds) => {
        if (!exchange.response.headersSent) exchange.response.setHeader('retry-after', String(seconds));
      },
      sessionEnded: () => {
        throw sessionGone();
      },
    };
  }

  async #answers(context: MessageContext, messages: RpcMessage[]): Promise<JsonAnswer[]> {
    const answers: JsonAnswer[] = [];
    for (const message of messages) {
      // Each call of a batch has a reference of its own.
      const own = answers.length === 0 ? context : { ...context, requestId: this.#services.ids.uuid() };
      const answer = await this.#answer(own, message).catch((error: unknown) => {
        // What was done already must be heard of; before anything is, the whole request is refused.
        if (answers.length === 0) throw error;
        return this.#failed(message, error);
      });
      if (answer !== undefined) answers.push(answer);
    }
    return answers;
  }

  #failed({ id }: RpcMessage, error: unknown): JsonAnswer {
    if (!(error instanceof HttpError)) {
      countFault(this.#services.metrics);
      this.#services.log.error({ err: error }, 'a message of a batch failed');
    }
    const { code, message } = toRpcError(error);
    return new JsonAnswer('', JSON.stringify(rpcErrorBody(id, code, message)), '');
  }

  /** Answers can be asked for again in every version with sessions. */
  #resumption(session: SessionKey, version: string): Resumption {
    const stream = this.#services.ids.uuid();
    return {
      stream,
      primes: knowsPriming(version),
      // The work is done: an answer that can not be kept is sent all the same.
      keep: (data, last) =>
        this.#streams.log.append(session, stream, { data, last }).catch((error: unknown) => {
          this.#services.log.warn({ err: error }, 'an answer could not be kept for a client that comes back');
          return undefined;
        }),
    };
  }

  /** A call can be cancelled while it runs; everything else is over before anyone could. */
  async #answer(context: MessageContext, message: RpcMessage): Promise<JsonAnswer | undefined> {
    const { id, method } = message;
    if (method !== 'tools/call' || id === null || context.sessionHash === null) {
      return handleMessage(this.#services, context, SESSION_METHODS, message);
    }
    const running = this.#running.start(RunningCalls.nameOf(context.sessionHash, id));
    try {
      return await handleMessage(this.#services, { ...context, signal: running.signal }, SESSION_METHODS, message);
    } finally {
      running.end();
    }
  }

  /** `notifications/cancelled`: the call may run on any replica, so all of them hear of it. */
  async #cancel(sessionHash: Buffer, messages: RpcMessage[]): Promise<void> {
    for (const { method, params } of messages) {
      const id = params['requestId'];
      if (method !== 'notifications/cancelled' || (typeof id !== 'string' && typeof id !== 'number')) continue;
      if (String(id).length > 200) continue;
      const name = RunningCalls.nameOf(sessionHash, id);
      if (this.#running.cancel(name)) continue;
      await this.#services.db.pool.query('select pg_notify($1, $2)', [GENERATION_CHANNEL, `${CANCEL} ${name}`]);
    }
  }

  /** Another replica was told that a call is cancelled. @param name as `notifications/cancelled` named it */
  cancelled(name: string): void {
    this.#running.cancel(name);
  }

  #stateless(exchange: Exchange, messages: RpcMessage[], batch: boolean): Promise<void> {
    const [message] = messages;
    if (batch || !message) throw new RpcError(-32_600, 'Batches are not part of protocol version 2026-07-28.');
    return serveStateless(this.#services, this.#streams, { ...exchange, message });
  }

  async #initialize(exchange: Exchange, messages: RpcMessage[]): Promise<void> {
    const [message] = messages;
    if (!message || messages.length !== 1) throw new RpcError(-32600, 'initialize can not be part of a batch.');
    // A name that is none of ours is said as early as can be.
    narrowingOf(exchange.request, this.#services.toolList.known);
    await this.#countSession(exchange.authenticated);
    const protocolVersion = negotiate(message.params['protocolVersion']);
    const startedAt = Math.floor(this.#services.clocks.real.now() / 1_000);
    const { keyId } = exchange.authenticated.caller;
    const token = this.#sessions.issue({ keyId, version: protocolVersion, startedAt });
    const result = {
      protocolVersion,
      capabilities: SESSION_CAPABILITIES,
      serverInfo: serverInfo(this.#services.version),
      instructions: INSTRUCTIONS,
    };
    const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
    sendJson(exchange.response, 200, text, { 'mcp-session-id': token });
  }

  /** A session costs no memory, but a key opens no more of them in a minute than it may make calls. @throws HttpError 429 */
  async #countSession({ hash, caller, limits }: Authenticated): Promise<void> {
    if (hash === null) return;
    const most = { ...limits, read: limits.overall };
    const subject = { keyId: `${caller.keyId}#sessions`, sessionHash: null };
    const answer = await this.#services.limiter.admit({ ...subject, category: 'read', limits: most });
    if (answer.refused === null) return;
    const seconds = retrySeconds(answer.retryMs);
    const text = `A key opens at most ${limits.overall} sessions per minute. Use the one it has, or retry after ${seconds}s.`;
    throw new HttpError(429, text, { 'retry-after': String(seconds) });
  }

  /** A session belongs to the key that opened it; to another key it does not exist. @throws HttpError 400, 404 */
  #session(exchange: Exchange): { session: Session; hash: Buffer; token: string } {
    const token = exchange.request.headers['mcp-session-id'];
    if (typeof token !== 'string') {
      throw new HttpError(400, 'The header mcp-session-id is missing. Send initialize first.');
    }
    const opened = this.#sessions.open(token, this.#services.clocks.real.now() / 1_000);
    if (opened?.session.keyId !== exchange.authenticated.caller.keyId) throw sessionGone();
    return { ...opened, token };
  }

  async #stream(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    if (!(request.headers.accept ?? '').includes('text/event-stream')) {
      throw new HttpError(406, 'Accept must list text/event-stream.');
    }
    const { session, hash, token } = this.#session(exchange);
    checkVersionHeader(request);
    const caller = async (): Promise<Caller> => (await this.#current(exchange, hash)).caller;
    const { keyId } = await caller();
    const lastEventId = request.headers['last-event-id'];
    await keepStanding(this.#streams, {
      session: { hash, token },
      streamId: this.#services.ids.uuid(),
      keyId,
      response,
      primes: knowsPriming(session.version),
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
      caller,
    });
  }

  async #end(exchange: Exchange): Promise<void> {
    const { hash } = this.#session(exchange);
    const { pool } = this.#services.db;
    const made = await pool.query('insert into session_end (session_hash) values ($1) on conflict do nothing', [hash]);
    await pool.query(`delete from session_end where ended_at < clock_timestamp() - interval '2 days'`);
    if (made.rowCount === 0) throw sessionGone();
    await pool.query('delete from resource_subscription where session_hash = $1', [hash]);
    await this.#services.limiter.stamp(exchange.authenticated.caller.keyId);
    exchange.response.writeHead(204).end();
  }
}

/** Calls and new sessions have limits of their own. */
function isNoCall({ method }: RpcMessage): boolean {
  return method !== 'tools/call' && method !== 'initialize';
}

/** The scope that reads a record: that of the tool behind it. */
function scopeOf({ tools }: MessageServices, uri: string): string | undefined {
  const record = recordOf(uri);
  return record && tools.get(record.resource.readTool)?.scope;
}

/** Source: MCP 2025-11-25, Streamable HTTP: events without data, which tell an id. */
function knowsPriming(version: string): boolean {
  return version >= '2025-11-25';
}

function sessionGone(): HttpError {
  return new HttpError(404, 'This session is unknown or was closed. Send initialize again.');
}
