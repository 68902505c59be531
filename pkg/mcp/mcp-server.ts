import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { sleepReal } from '../base/clock.ts';
import { AuditLog } from './audit-log.ts';
import { type Authenticated, Authenticator } from './authentication.ts';
import { CANCEL, Endpoint } from './endpoint.ts';
import { HttpError, RpcError, rpcErrorBody } from './errors.ts';
import { FailingAddresses } from './failing-addresses.ts';
import { Generations } from './generations.ts';
import type { MessageServices } from './handle-message.ts';
import { checkHost, sendJson } from './http-io.ts';

export interface McpServerOptions {
  services: Omit<MessageServices, 'refresh' | 'settled' | 'audit'>;
  sessionSecret: string;
  runnerSecret: string | undefined;
  /** Whether the main listener accepts X-Runner-Secret (standalone, on loopback). */
  runnerOnMain: boolean;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
}

/** Milliseconds that calls in flight have to end when the server stops. */
const DRAIN_MS = 5_000;

/** The HTTP face of MCP: POST, GET and DELETE /mcp, GET /health, /livez, /readyz. */
export class McpServer {
  readonly #options: McpServerOptions;
  readonly #services: MessageServices;
  readonly #authenticator: Authenticator;
  readonly #endpoint: Endpoint;
  readonly #servers: Server[] = [];
  readonly #failing = new FailingAddresses();
  readonly #generations: Generations;
  readonly #audit: AuditLog;
  #inFlight = 0;
  #draining = false;

  constructor(options: McpServerOptions) {
    this.#options = options;
    const { db, clocks, limiter } = options.services;
    this.#generations = new Generations(limiter);
    this.#audit = new AuditLog(db, options.services.ids, options.services.log);
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
      refresh: (hash, version) => this.#authenticator.reread(hash, version),
      settled: () => this.#generations.settled(),
    };
    this.#endpoint = new Endpoint(this.#services, options.sessionSecret);
  }

  /** What was notified of changed keys and users and of cancelled calls (channel `outrider_generation`). */
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
    this.#endpoint.stop();
    for (let waited = 0; this.#inFlight > 0 && waited < DRAIN_MS; waited += 20) await sleepReal(20);
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(closed);
    await this.#audit.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse, acceptRunner: boolean): Promise<void> {
    const path = (request.url ?? '/').split('?')[0];
    checkHost(request, this.#options.allowedHosts, this.#options.allowedOrigins);
    if (path === '/health' && request.method === 'GET') return this.#health(response);
    if (path === '/livez') return sendJson(response, 200, '{"status":"ok"}');
    if (path === '/readyz') return this.#ready(response);
    if (path !== '/mcp') throw new HttpError(404, 'Nothing is here. MCP is at /mcp, status at /health.');
    const authenticated = await this.#authenticate(request, acceptRunner);
    await this.#endpoint.serve({ request, response, authenticated });
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
    const answer = (status: number, code: number, message: string, headers: Record<string, string> = {}): void =>
      sendJson(response, status, JSON.stringify(rpcErrorBody(null, code, message)), headers);
    if (error instanceof RpcError) {
      answer(400, error.code, error.message);
    } else if (error instanceof HttpError) {
      // Of a body that was not read nothing may be left in the connection.
      const close: Record<string, string> = request.complete ? {} : { connection: 'close' };
      answer(error.status, -32000 - (error.status % 100), error.message, { ...error.headers, ...close });
    } else {
      this.#services.log.error({ err: error }, 'request failed');
      answer(503, -32603, 'The server can not answer now. Try again.', { 'retry-after': '2' });
    }
  }
}
