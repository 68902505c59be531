import type { IncomingMessage, ServerResponse } from 'node:http';
import { upToDate } from './admit-call.ts';
import type { Authenticated } from './authentication.ts';
import { HttpError, RpcError } from './errors.ts';
import { EventStreams } from './event-streams.ts';
import { handleMessage, type MessageContext, type MessageServices } from './handle-message.ts';
import { openStream, readBody, sendEvent, sendJson } from './http-io.ts';
import { checkContentHeaders, checkVersionHeader, narrowingOf, parseBody, wantsProgress } from './request-checks.ts';
import { negotiate, type RpcMessage } from './rpc.ts';
import { type Session, SessionTokens } from './session-token.ts';

/** A request whose key is known. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  authenticated: Authenticated;
}

/** POST, GET and DELETE of /mcp. */
export class Endpoint {
  readonly streams: EventStreams;
  readonly #services: MessageServices;
  readonly #sessions: SessionTokens;

  constructor(services: MessageServices, sessionSecret: string) {
    this.#services = services;
    this.#sessions = new SessionTokens(sessionSecret);
    this.streams = new EventStreams(services.metrics.streams);
  }

  /** @throws HttpError 405 for another method, and what the methods throw */
  async serve(exchange: Exchange): Promise<void> {
    const { method } = exchange.request;
    if (method === 'POST') return this.#post(exchange);
    if (method === 'GET') return this.#stream(exchange);
    if (method === 'DELETE') return this.#end(exchange);
    throw new HttpError(405, 'Use POST, GET or DELETE on /mcp.', { allow: 'POST, GET, DELETE' });
  }

  async #post(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    checkContentHeaders(request);
    const { messages, batch } = parseBody(await readBody(request));
    if (messages.some((message) => message.method === 'initialize')) return this.#initialize(exchange, messages);
    const { session, hash } = this.#session(exchange);
    checkVersionHeader(request);
    if (batch && session.version !== '2025-03-26') {
      throw new RpcError(-32600, `Batches are not part of protocol version ${session.version}.`);
    }
    const authenticated = await this.#current(exchange, hash, messages);
    if (messages.every((message) => message.method === undefined || message.notification)) {
      response.writeHead(202).end();
      return;
    }
    const context = this.#context({ ...exchange, authenticated }, session.version, hash);
    if (messages.some(wantsProgress)) return this.#answerStream(response, context, messages);
    const answers = await this.#answers(context, messages);
    sendJson(response, 200, batch ? `[${answers.join(',')}]` : (answers[0] ?? ''));
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
      narrowing: narrowingOf(exchange.request),
      requestId: this.#services.ids.uuid(),
      progress: () => undefined,
      refused: (seconds) => {
        if (!exchange.response.headersSent) exchange.response.setHeader('retry-after', String(seconds));
      },
      sessionEnded: () => {
        throw sessionGone();
      },
    };
  }

  async #answers(context: MessageContext, messages: RpcMessage[]): Promise<string[]> {
    const answers: string[] = [];
    for (const message of messages) {
      const answer = await handleMessage(this.#services, context, message);
      if (answer !== undefined) answers.push(answer);
    }
    return answers;
  }

  /** Calls that asked for progress are answered as a stream, since a JSON answer drops notifications. */
  async #answerStream(response: ServerResponse, context: MessageContext, messages: RpcMessage[]): Promise<void> {
    let open = false;
    const ensureOpen = (): void => {
      if (!open) openStream(response);
      open = true;
    };
    const progress: MessageContext['progress'] = (progressToken, done, total, message) => {
      ensureOpen();
      const params = { progressToken, progress: done, total, message };
      sendEvent(response, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
    };
    const answers = await this.#answers({ ...context, progress }, messages);
    ensureOpen();
    for (const answer of answers) sendEvent(response, answer);
    response.end();
  }

  #initialize(exchange: Exchange, messages: RpcMessage[]): void {
    const [message] = messages;
    if (!message || messages.length !== 1) throw new RpcError(-32600, 'initialize can not be part of a batch.');
    const protocolVersion = negotiate(message.params['protocolVersion']);
    const startedAt = Math.floor(this.#services.clocks.real.now() / 1_000);
    const { keyId } = exchange.authenticated.caller;
    const token = this.#sessions.issue({ keyId, version: protocolVersion, startedAt });
    const result = {
      protocolVersion,
      capabilities: { tools: { listChanged: false }, logging: {} },
      serverInfo: { name: 'outrider', title: 'Outrider', version: this.#services.version },
      instructions: 'Outreach campaigns. Call svc_whoami first; every result names the next tool.',
    };
    const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
    sendJson(exchange.response, 200, text, { 'mcp-session-id': token });
  }

  /** A session belongs to the key that opened it; to another key it does not exist. @throws HttpError 400, 404 */
  #session(exchange: Exchange): { session: Session; hash: Buffer } {
    const token = exchange.request.headers['mcp-session-id'];
    if (typeof token !== 'string') {
      throw new HttpError(400, 'The header mcp-session-id is missing. Send initialize first.');
    }
    const session = this.#sessions.read(token, this.#services.clocks.real.now() / 1_000);
    if (!session || session.keyId !== exchange.authenticated.caller.keyId) throw sessionGone();
    return { session, hash: SessionTokens.hashOf(token) };
  }

  async #stream(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    if (!(request.headers.accept ?? '').includes('text/event-stream')) {
      throw new HttpError(406, 'Accept must list text/event-stream.');
    }
    const { hash } = this.#session(exchange);
    checkVersionHeader(request);
    const { caller } = await this.#current(exchange, hash);
    await this.streams.keep(caller.keyId, response);
  }

  async #end(exchange: Exchange): Promise<void> {
    const { hash } = this.#session(exchange);
    const { pool } = this.#services.db;
    const made = await pool.query('insert into session_end (session_hash) values ($1) on conflict do nothing', [hash]);
    await pool.query(`delete from session_end where ended_at < clock_timestamp() - interval '2 days'`);
    if (made.rowCount === 0) throw sessionGone();
    await this.#services.limiter.stamp(exchange.authenticated.caller.keyId);
    exchange.response.writeHead(204).end();
  }
}

function sessionGone(): HttpError {
  return new HttpError(404, 'This session is unknown or was closed. Send initialize again.');
}
