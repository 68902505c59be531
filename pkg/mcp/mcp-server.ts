import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { sleepReal } from '../base/clock.ts';
import { type Authenticated, Authenticator } from './authentication.ts';
import { HttpError, RpcError, rpcErrorBody } from './errors.ts';
import { handleMessage, type MessageContext, type MessageServices } from './handle-message.ts';
import { checkHost, openStream, readBody, sendEvent, sendJson } from './http-io.ts';
import { MAX_BATCH, negotiate, parseMessage, type RpcMessage, VERSIONS } from './rpc.ts';
import { type Session, SessionTokens } from './session-token.ts';
import type { Narrowing } from './tool-list.ts';

export interface McpServerOptions {
  services: Omit<MessageServices, 'refresh'>;
  sessionSecret: string;
  runnerSecret: string | undefined;
  /** Whether the main listener accepts X-Runner-Secret (standalone, on loopback). */
  runnerOnMain: boolean;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
}

/** Event streams per key at most. */
const MAX_STREAMS = 8;
const KEEP_ALIVE_MS = 20_000;

/** The HTTP face of MCP: POST, GET and DELETE /mcp, GET /health, /livez, /readyz. */
export class McpServer {
  readonly #options: McpServerOptions;
  readonly #services: MessageServices;
  readonly #authenticator: Authenticator;
  readonly #sessions: SessionTokens;
  readonly #servers: Server[] = [];
  readonly #streams = new Map<string, Set<ServerResponse>>();
  readonly #failures = new Map<string, number>();
  #inFlight = 0;
  #draining = false;

  constructor(options: McpServerOptions) {
    this.#options = options;
    const { db, clocks } = options.services;
    this.#authenticator = new Authenticator({ db, clock: clocks.real, runnerSecret: options.runnerSecret });
    this.#sessions = new SessionTokens(options.sessionSecret);
    this.#services = { ...options.services, refresh: (hash) => this.#authenticator.reread(hash) };
  }

  /** Opens the main listener (or, with `internal`, the one that accepts X-Runner-Secret). @returns its base URL */
  async listen(host: string, port: number, internal = false): Promise<string> {
    const acceptRunner = internal || this.#options.runnerOnMain;
    const server = createServer((request, response) => {
      this.#inFlight++;
      this.#serve(request, response, acceptRunner)
        .catch((error: unknown) => this.#refuse(request, response, error))
        .finally(() => {
          this.#inFlight--;
        });
    });
    server.keepAliveTimeout = 65_000;
    server.headersTimeout = 70_000;
    server.requestTimeout = 120_000;
    this.#servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    const address = server.address();
    return `http://${host}:${address && typeof address === 'object' ? address.port : port}`;
  }

  /** Stops accepting, lets calls in flight end (bounded), closes streams. */
  async close(): Promise<void> {
    this.#draining = true;
    const closed = this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    for (let waited = 0; this.#inFlight > this.#openStreams() && waited < 5_000; waited += 20) await sleepReal(20);
    for (const set of this.#streams.values()) for (const stream of set) stream.end();
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(closed);
  }

  #openStreams(): number {
    let count = 0;
    for (const set of this.#streams.values()) count += set.size;
    return count;
  }

  async #serve(request: IncomingMessage, response: ServerResponse, acceptRunner: boolean): Promise<void> {
    const path = (request.url ?? '/').split('?')[0];
    checkHost(request, this.#options.allowedHosts, this.#options.allowedOrigins);
    if (path === '/health' && request.method === 'GET') return this.#health(response);
    if (path === '/livez') return sendJson(response, 200, '{"status":"ok"}');
    if (path === '/readyz') return this.#ready(response);
    if (path !== '/mcp') throw new HttpError(404, 'Nothing is here. MCP is at /mcp, status at /health.');
    const authenticated = await this.#authenticate(request, acceptRunner);
    if (request.method === 'POST') return this.#post(request, response, authenticated);
    if (request.method === 'GET') return this.#stream(request, response, authenticated);
    if (request.method === 'DELETE') return this.#end(request, response, authenticated);
    throw new HttpError(405, 'Use POST, GET or DELETE on /mcp.', { allow: 'POST, GET, DELETE' });
  }

  /** Before the first byte of the body; addresses that keep failing wait. */
  async #authenticate(request: IncomingMessage, acceptRunner: boolean): Promise<Authenticated> {
    const address = request.socket.remoteAddress ?? '';
    try {
      const authenticated = await this.#authenticator.authenticate(request.headers, acceptRunner);
      this.#failures.delete(address);
      return authenticated;
    } catch (error) {
      if (error instanceof HttpError) {
        this.#services.metrics.authFailures.inc();
        const failures = Math.min(10, (this.#failures.get(address) ?? 0) + 1);
        if (this.#failures.size > 10_000) this.#failures.clear();
        this.#failures.set(address, failures);
        if (failures > 5) await sleepReal(100 * (failures - 5));
      }
      throw error;
    }
  }

  async #post(request: IncomingMessage, response: ServerResponse, authenticated: Authenticated): Promise<void> {
    checkContentHeaders(request);
    const body = parseJson(await readBody(request));
    const messages = parseMessages(body);
    const first = messages[0];
    if (first?.method === 'initialize') return this.#initialize(response, authenticated, messages);
    const { session, hash } = this.#session(request, authenticated);
    checkVersionHeader(request);
    if (Array.isArray(body) && session.version !== '2025-03-26') {
      throw new RpcError(-32600, `Batches are not part of protocol version ${session.version}.`);
    }
    const wantsProgress = messages.some(
      (message) => message.method === 'tools/call' && hasProgressToken(message.params),
    );
    if (messages.every((message) => message.method === undefined || message.notification)) {
      response.writeHead(202).end();
      return;
    }
    const context = this.#context(request, authenticated, session.version, hash);
    if (wantsProgress) return this.#answerStream(response, context, messages);
    const answers = await this.#answers(context, messages);
    sendJson(response, 200, Array.isArray(body) ? `[${answers.join(',')}]` : (answers[0] ?? ''));
  }

  #context(
    request: IncomingMessage,
    authenticated: Authenticated,
    protocolVersion: string,
    sessionHash: Buffer,
  ): MessageContext {
    return {
      authenticated,
      sessionHash,
      protocolVersion,
      narrowing: narrowingOf(request),
      requestId: this.#services.ids.uuid(),
      progress: () => undefined,
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

  #initialize(response: ServerResponse, authenticated: Authenticated, messages: RpcMessage[]): void {
    const [message] = messages;
    if (!message || messages.length !== 1) throw new RpcError(-32600, 'initialize can not be part of a batch.');
    const protocolVersion = negotiate(message.params['protocolVersion']);
    const startedAt = Math.floor(this.#services.clocks.real.now() / 1_000);
    const token = this.#sessions.issue({ keyId: authenticated.caller.keyId, version: protocolVersion, startedAt });
    const result = {
      protocolVersion,
      capabilities: { tools: { listChanged: false }, logging: {} },
      serverInfo: { name: 'outrider', title: 'Outrider', version: this.#services.version },
      instructions: 'Outreach campaigns. Call svc_whoami first; every result names the next tool.',
    };
    sendJson(response, 200, JSON.stringify({ jsonrpc: '2.0', id: message.id, result }), { 'mcp-session-id': token });
  }

  /** A session belongs to the key that opened it; to another key it does not exist. @throws HttpError 400, 404 */
  #session(request: IncomingMessage, authenticated: Authenticated): { session: Session; hash: Buffer } {
    const token = request.headers['mcp-session-id'];
    if (typeof token !== 'string')
      throw new HttpError(400, 'The header mcp-session-id is missing. Send initialize first.');
    const session = this.#sessions.read(token, this.#services.clocks.real.now() / 1_000);
    if (!session || session.keyId !== authenticated.caller.keyId) throw sessionGone();
    return { session, hash: SessionTokens.hashOf(token) };
  }

  async #stream(request: IncomingMessage, response: ServerResponse, authenticated: Authenticated): Promise<void> {
    if (!(request.headers.accept ?? '').includes('text/event-stream'))
      throw new HttpError(406, 'Accept must list text/event-stream.');
    const { hash } = this.#session(request, authenticated);
    if (await this.#isEnded(hash)) throw sessionGone();
    const { keyId } = authenticated.caller;
    const mine = this.#streams.get(keyId) ?? new Set<ServerResponse>();
    if (mine.size >= MAX_STREAMS)
      throw new HttpError(429, `At most ${MAX_STREAMS} event streams per key.`, { 'retry-after': '5' });
    openStream(response);
    mine.add(response);
    this.#streams.set(keyId, mine);
    this.#services.metrics.streams.inc();
    const closed = new AbortController();
    response.on('close', () => {
      closed.abort();
      mine.delete(response);
      this.#services.metrics.streams.dec();
    });
    while (!closed.signal.aborted && !this.#draining) {
      response.write(': keep-alive\n\n');
      await sleepReal(KEEP_ALIVE_MS, closed.signal).catch(() => undefined);
    }
  }

  async #isEnded(hash: Buffer): Promise<boolean> {
    const found = await this.#services.db.pool.query('select 1 from session_end where session_hash = $1', [hash]);
    return (found.rowCount ?? 0) > 0;
  }

  async #end(request: IncomingMessage, response: ServerResponse, authenticated: Authenticated): Promise<void> {
    const { hash } = this.#session(request, authenticated);
    const made = await this.#services.db.pool.query(
      'insert into session_end (session_hash) values ($1) on conflict do nothing',
      [hash],
    );
    await this.#services.db.pool.query(
      `delete from session_end where ended_at < clock_timestamp() - interval '2 days'`,
    );
    if (made.rowCount === 0) throw sessionGone();
    response.writeHead(204).end();
  }

  #health(response: ServerResponse): void {
    const { limits, tools, version } = this.#services;
    sendJson(response, 200, JSON.stringify({ status: 'ok', version, tools: [...tools.keys()], rateLimits: limits }));
  }

  async #ready(response: ServerResponse): Promise<void> {
    try {
      await this.#services.db.pool.query('select 1');
      sendJson(response, this.#draining ? 503 : 200, `{"status":"${this.#draining ? 'draining' : 'ok'}"}`);
    } catch {
      sendJson(response, 503, '{"status":"no database"}');
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (response.headersSent) {
      response.end();
      return;
    }
    if (error instanceof RpcError) {
      sendJson(response, 400, JSON.stringify(rpcErrorBody(null, error.code, error.message)));
      return;
    }
    if (error instanceof HttpError) {
      // Nothing of the body was read: the connection can't be used again.
      const close: Record<string, string> = error.status === 401 || error.status === 413 ? { connection: 'close' } : {};
      if (request.method !== 'POST' || !request.complete) request.resume();
      const body = JSON.stringify(rpcErrorBody(null, -32000 - (error.status % 100), error.message));
      sendJson(response, error.status, body, { ...error.headers, ...close });
      return;
    }
    this.#services.log.error({ err: error }, 'request failed');
    sendJson(response, 503, JSON.stringify(rpcErrorBody(null, -32603, 'The server can not answer now. Try again.')), {
      'retry-after': '2',
    });
  }
}

function sessionGone(): HttpError {
  return new HttpError(404, 'This session is unknown or was closed. Send initialize again.');
}

function checkContentHeaders(request: IncomingMessage): void {
  const accept = request.headers.accept ?? '';
  const takes = (type: string): boolean => accept.includes(type) || accept.includes('*/*');
  if (!takes('application/json') || !takes('text/event-stream')) {
    throw new HttpError(406, 'Accept must list both application/json and text/event-stream.');
  }
  if (!(request.headers['content-type'] ?? '').startsWith('application/json'))
    throw new HttpError(415, 'Content-Type must be application/json.');
}

function checkVersionHeader(request: IncomingMessage): void {
  const version = request.headers['mcp-protocol-version'];
  if (version === undefined || VERSIONS.some((known) => known === version)) return;
  throw new HttpError(
    400,
    `MCP-Protocol-Version ${String(version).slice(0, 40)} is not spoken here. Known: ${VERSIONS.join(', ')}.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError(-32700, 'Parse error: the body is no JSON.');
  }
}

function parseMessages(body: unknown): RpcMessage[] {
  if (!Array.isArray(body)) return [parseMessage(body)];
  if (body.length === 0) throw new RpcError(-32600, 'Invalid request: an empty batch.');
  if (body.length > MAX_BATCH)
    throw new RpcError(-32600, `A batch holds ${MAX_BATCH} messages at most; this one has ${body.length}.`);
  return body.map(parseMessage);
}

function hasProgressToken(params: Record<string, unknown>): boolean {
  const meta = params['_meta'];
  return meta !== null && typeof meta === 'object' && 'progressToken' in meta;
}

function narrowingOf(request: IncomingMessage): Narrowing {
  const toolsets = request.headers['x-mcp-toolsets'];
  const list =
    typeof toolsets === 'string'
      ? toolsets
          .toLowerCase()
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean)
      : null;
  return {
    toolsets: list && list.length > 0 ? list.slice(0, 30) : null,
    readOnly: request.headers['x-mcp-readonly'] === 'true',
  };
}
