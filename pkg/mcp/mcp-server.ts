import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { sleepReal } from '../base/clock.ts';
import { countFault } from '../metrics/mcp-metrics.ts';
import { AuditLog } from './audit-log.ts';
import { type Authenticated, Authenticator } from './authentication.ts';
import { CANCEL, Endpoint } from './endpoint.ts';
import { HttpError, RpcError, rpcErrorBody, toRpcError } from './errors.ts';
import { FailingAddresses } from './failing-addresses.ts';
import { Generations } from './generations.ts';
import type { MessageServices } from './handle-message.ts';
import { checkHost, sendJson } from './http-io.ts';
import { LimitedCalls } from './limited-calls.ts';
import { QuickRefusal } from './quick-refusal.ts';
import { SessionTokens } from './session-token.ts';

export interface McpServerOptions {
  services: Omit<MessageServices, 'refresh' | 'settled' | 'audit' | 'limited'>;
  sessionSecret: string;
  runnerSecret: string | undefined;
  /** Whether the main listener accepts X-Runner-Secret (standalone, on loopback). */
  runnerOnMain: boolean;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
  /** Milliseconds for which a server that stops still accepts, while load balancers notice; default 0. */
  drainMs?: number;
  /** Milliseconds without a byte after which a connection is cut. */
  idleMs?: number;
  /** Milliseconds that a body waits for room before it is refused. */
  bodyWaitMs?: number;
}

/** What strangers get of time and memory: slow clients are cut, oversized headers refused (431). */
const BOUNDS = {
  // Longer than the idle time of usual load balancers (60 s), so that they close first.
  keepAliveTimeout: 65_000,
  headersTimeout: 15_000,
  // Eight megabytes at a speed that a phone reaches.
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  requireHostHeader: true,
};
const MAX_CONNECTIONS = 10_000;
/** A client that does not read its answer is cut after this time without a byte; event streams send some all the time. */
const IDLE_MS = 300_000;

/** Milliseconds that calls in flight have to end when the server stops: what a statement may take, and its answer. */
const ENDING_MS = 20_000;
/** Milliseconds without a new request after which nothing waits in the listener's queue any more, and the most of it. */
const QUIET_MS = 50;
const MAX_QUIET_MS = 3_000;

/** Milliseconds that a server may take to stop. */
export function stoppingMs(drainMs: number): number {
  return drainMs + MAX_QUIET_MS + ENDING_MS + 4_000;
}

/** The HTTP face of MCP: POST, GET and DELETE /mcp, GET /health, /livez, /readyz. */
export class McpServer {
  readonly #options: McpServerOptions;
  readonly #services: MessageServices;
  readonly #authenticator: Authenticator;
  readonly #endpoint: Endpoint;
  readonly #quick: QuickRefusal;
  readonly #servers: Server[] = [];
  readonly #failing = new FailingAddresses();
  readonly #generations: Generations;
  readonly #audit: AuditLog;
  #inFlight = 0;
  /** Requests so far. */
  #arrived = 0;
  #draining = false;

  constructor(options: McpServerOptions) {
    this.#options = options;
    const { db, clocks, ids, limiter, log, metrics, tools, version } = options.services;
    this.#generations = new Generations(limiter);
    const limited = new LimitedCalls(ids, clocks.product);
    this.#audit = new AuditLog(
      db,
      ids,
      log,
      () => limited.take(),
      (count) => metrics.auditLost.inc(count),
    );
    this.#authenticator = new Authenticator({
      db,
      clock: clocks.real,
      product: clocks.product,
      runnerSecret: options.runnerSecret,
      limits: options.services.limits,
    });
    this.#services = {
      ...options.services,
      audit: this.#audit,
      limited,
      refresh: (hash, version) => this.#authenticator.reread(hash, version),
      settled: () => this.#generations.settled(),
    };
    const sessions = new SessionTokens(options.sessionSecret);
    this.#endpoint = new Endpoint(this.#services, options.sessionSecret, { sessions, bodyWaitMs: options.bodyWaitMs });
    const now = (): number => clocks.real.now() / 1_000;
    const checkHost = (request: IncomingMessage): void => this.#checkHost(request);
    this.#quick = new QuickRefusal({
      authenticator: this.#authenticator,
      limiter,
      sessions,
      tools,
      metrics,
      version,
      limited,
      keepAliveMs: BOUNDS.keepAliveTimeout,
      serving: () => !this.#draining,
      checkHost,
      now,
    });
  }

  /** What was notified: a key that changed, itself or by its user, or a call that was cancelled. */
  announced(payload: string): void {
    if (payload.startsWith(`${CANCEL} `)) this.#endpoint.cancelled(payload.slice(CANCEL.length + 1));
    else this.#generations.announced(payload);
  }

  /** Changes of keys and users may have been missed. */
  forgetKeys(): void {
    this.#authenticator.forget();
  }

  /** Opens the main listener (or, with `internal`, the one that accepts X-Runner-Secret). @returns its base URL */
  async listen(host: string, port: number, internal = false): Promise<string> {
    const acceptRunner = internal || this.#options.runnerOnMain;
    const server = createServer(BOUNDS, (request, response) => {
      this.#arrived++;
      // Clients find another replica for their next request, and none is cut in the middle of one.
      if (this.#draining) response.shouldKeepAlive = false;
      const serve = (body?: string): void => this.#answer(request, response, acceptRunner, body);
      if (!this.#isQuick(request, response, serve)) serve();
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.timeout = this.#options.idleMs ?? IDLE_MS;
    this.#servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    const address = server.address();
    return `http://${host}:${address && typeof address === 'object' ? address.port : port}`;
  }

  /** Whether the short way took it. */
  #isQuick(request: IncomingMessage, response: ServerResponse, otherwise: (body: string) => void): boolean {
    if (this.#draining || !this.#options.services.limiter.remembers) return false;
    try {
      return this.#quick.take(request, response, otherwise);
    } catch {
      return false;
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse, acceptRunner: boolean, body?: string): void {
    this.#inFlight++;
    this.#serve(request, response, acceptRunner, body)
      .catch((error: unknown) => this.#refuse(request, response, error))
      .finally(() => {
        this.#inFlight--;
      });
  }

  /** Stops accepting, lets calls in flight end (bounded), closes streams. */
  async close(): Promise<void> {
    this.#draining = true;
    if (this.#options.drainMs) {
      await sleepReal(this.#options.drainMs);
      await this.#quiet();
    }
    const closed = this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    this.#endpoint.stop();
    for (let waited = 0; this.#inFlight > 0 && waited < ENDING_MS; waited += 20) await sleepReal(20);
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(closed);
    await this.#audit.close();
  }

  /** A busy process has connections in its queue that it did not accept yet: closing would cut them. */
  async #quiet(): Promise<void> {
    for (let waited = 0; waited < MAX_QUIET_MS; waited += QUIET_MS) {
      const before = this.#arrived;
      await sleepReal(QUIET_MS);
      if (this.#arrived === before && this.#inFlight === 0) return;
    }
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    acceptRunner: boolean,
    body: string | undefined,
  ): Promise<void> {
    const path = (request.url ?? '/').split('?')[0];
    this.#checkHost(request);
    if (path === '/health' && request.method === 'GET') return this.#health(response);
    if (path === '/livez') return sendJson(response, 200, '{"status":"ok"}');
    if (path === '/readyz') return this.#ready(response);
    if (path !== '/mcp') throw new HttpError(404, 'Nothing is here. MCP is at /mcp, status at /health.');
    const authenticated = await this.#authenticate(request, acceptRunner);
    await this.#endpoint.serve({ request, response, authenticated, body });
  }

  /** @throws HttpError 403 */
  #checkHost(request: IncomingMessage): void {
    checkHost(request, this.#options.allowedHosts, this.#options.allowedOrigins);
  }

  /** Before the first byte of the body; addresses that keep failing wait. */
  async #authenticate(request: IncomingMessage, acceptRunner: boolean): Promise<Authenticated> {
    const address = request.socket.remoteAddress ?? '';
    try {
      const authenticated = await this.#authenticator.authenticate(request.headers, acceptRunner);
      this.#failing.succeeded(address);
      return authenticated;
    } catch (error) {
      if (error instanceof HttpError) {
        this.#services.metrics.authFailures.inc();
        await this.#failing.failed(address);
      }
      throw error;
    }
  }

  #health(response: ServerResponse): void {
    const { limits, tools, version } = this.#services;
    sendJson(response, 200, JSON.stringify({ status: 'ok', version, tools: [...tools.keys()], rateLimits: limits }));
  }

  async #ready(response: ServerResponse): Promise<void> {
    try {
      await this.#services.db.ping();
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
    const { code, message } = toRpcError(error);
    const answer = (status: number, headers: Record<string, string> = {}): void =>
      sendJson(response, status, JSON.stringify(rpcErrorBody(null, code, message)), headers);
    if (error instanceof RpcError) {
      answer(400);
    } else if (error instanceof HttpError) {
      // Of a body that was not read nothing may be left in the connection.
      const close: Record<string, string> = request.complete ? {} : { connection: 'close' };
      answer(error.status, { ...error.headers, ...close });
    } else {
      // Nobody hears of it any more, and what broke because a client left is no fault of ours.
      if (response.destroyed) return;
      countFault(this.#services.metrics);
      this.#services.log.error({ err: error }, 'request failed');
      answer(503, { 'retry-after': '2' });
    }
  }
}
