import { HttpError } from '../base/http/http-error.ts';
import { type HttpBounds, HttpListener, MAX_QUIET_MS } from '../base/http/http-listener.ts';
import { countFault } from '../metrics/mcp-metrics.ts';
import type { Bucket } from '../providers/media/bucket.ts';
import { AuditLog } from './audit-log.ts';
import { type Authenticated, Authenticator } from './authentication.ts';
import type { BodyRoom } from './body-room.ts';
import { CallGate } from './call-gate.ts';
import { ConsoleFace, type ConsoleOptions } from './console/console-face.ts';
import { Endpoint } from './endpoint.ts';
import type { McpExchange } from './exchange.ts';
import { FailingAddresses } from './failing-addresses.ts';
import { Generations } from './generations.ts';
import type { MessageServices } from './handle-message.ts';
import { LimitedCalls } from './limited-calls.ts';
import { ownerLimits } from './limits.ts';
import { mcpApp } from './mcp-app.ts';
import { MediaFace } from './media-face.ts';
import type { RefusalMemory } from './refusal-memory.ts';
import { RunningCalls } from './sessions/running-calls.ts';
import { challengeOf } from './sign-in/metadata.ts';
import { SignIn } from './sign-in/sign-in.ts';
import type { SignInOptions } from './sign-in/sign-in-services.ts';

export interface McpServerOptions {
  services: Omit<MessageServices, 'audit' | 'gate' | 'generations' | 'running'> & {
    limiter: RefusalMemory;
    /** Where bytes of media lie that are not in the database; absent: all are. */
    bucket?: Bucket | undefined;
  };
  sessionSecret: string;
  runnerSecret: string | undefined;
  /** How many times the limits of one key all keys of a user, or of a workspace, have together. */
  ownerTimes: number;
  /** Whether the main listener accepts X-Runner-Secret (standalone, on loopback). */
  runnerOnMain: boolean;
  /** `*` allows all. */
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
  /** Milliseconds for which a server that stops still accepts, while load balancers notice; default 0. */
  drainMs?: number;
  /** Bounds of its listeners that differ from those of a server in service. */
  bounds?: Partial<HttpBounds>;
  /** Milliseconds that a body waits for room before it is refused. */
  bodyWaitMs?: number;
  /** Where large bodies are counted, together with those of the ingress; absent: in a room of its own. */
  largeBodies?: BodyRoom;
  /** The web console on the main listener; absent: there is none. */
  console?: ConsoleOptions | undefined;
  /** How people let clients in, on pages that need the console's sessions; absent: by keys alone. */
  signIn?: SignInOptions | undefined;
}

const BOUNDS: HttpBounds = {
  maxConnections: 10_000,
  perAddress: 5_000,
  headersTimeout: 15_000,
  // Eight megabytes at a speed that a phone reaches.
  requestTimeout: 60_000,
  // Longer than the idle time of usual load balancers (60 s), so that they close first.
  keepAliveTimeout: 65_000,
  // Event streams send some all the time.
  idleTimeout: 300_000,
  maxHeaderSize: 16_384,
};

/** Milliseconds that calls in flight have to end when the server stops: what a statement may take, and its answer. */
const ENDING_MS = 20_000;

/** Milliseconds that a server may take to stop. */
export function stoppingMs(drainMs: number): number {
  return drainMs + MAX_QUIET_MS + ENDING_MS + 4_000;
}

/** The MCP server on its main and its internal listener. */
export class McpServer {
  readonly #options: McpServerOptions;
  readonly #authenticator: Authenticator;
  readonly #generations: Generations;
  readonly #audit: AuditLog;
  readonly #endpoint: Endpoint;
  readonly #media: MediaFace;
  readonly #console: ConsoleFace | undefined;
  readonly #listeners: HttpListener[] = [];
  readonly #failing = new FailingAddresses();
  readonly #signIn: SignIn | undefined;
  #draining = false;

  constructor(options: McpServerOptions) {
    this.#options = options;
    const { limiter, bucket, ...services } = options.services;
    const { db, clocks, ids, log, metrics, limits } = services;
    const limited = new LimitedCalls(ids, clocks.product);
    const { runnerSecret, sessionSecret, bodyWaitMs, largeBodies, ownerTimes } = options;
    this.#generations = new Generations(limiter);
    this.#audit = new AuditLog(db, ids, log, limited, (count) => metrics.auditLost.inc(count));
    this.#authenticator = new Authenticator({
      db,
      clock: clocks.real,
      product: clocks.product,
      runnerSecret,
      limits,
      ownerTimes,
    });
    const all: MessageServices = {
      ...services,
      audit: this.#audit,
      gate: new CallGate({ db, limiter, metrics, limited, authenticator: this.#authenticator }),
      generations: this.#generations,
      running: new RunningCalls(),
    };
    this.#media = new MediaFace({ db, gate: all.gate, bucket });
    this.#endpoint = new Endpoint(all, { sessionSecret, bodyWaitMs, largeBodies });
    this.#console =
      options.console && new ConsoleFace({ ...options.console, services: all, ownerTimes, bodyWaitMs, largeBodies });
    const { audit, generations } = all;
    const { console, signIn } = options;
    this.#signIn =
      console &&
      signIn &&
      this.#console &&
      new SignIn({
        ...signIn,
        ...{ db, clocks, ids, audit, generations, publicUrl: console.publicUrl, secret: sessionSecret },
        sessions: this.#console.sessions,
      });
  }

  /** What was notified: a key that changed, itself or by its user, or a call that was cancelled. */
  announced(payload: string): void {
    if (!this.#endpoint.announced(payload)) this.#generations.announced(payload);
  }

  /** Changes of keys and users may have been missed. */
  forgetKeys(): void {
    this.#authenticator.forget();
  }

  /** Opens the main listener (or, with `internal`, the one that accepts X-Runner-Secret). @returns its base URL */
  async listen(host: string, port: number, internal = false): Promise<string> {
    const { services, allowedHosts, allowedOrigins, bounds, ownerTimes, runnerOnMain } = this.#options;
    const { clocks, ids, limits, log, maxKeys, metrics, tools, version } = services;
    const perOwner = ownerLimits(limits, ownerTimes);
    const shown = { ...limits, perUserAndWorkspace: { ...perOwner, liveKeys: maxKeys } };
    const face = internal ? undefined : this.#console;
    const signIn = internal ? undefined : this.#signIn;
    const app = mcpApp({
      signIn,
      name: internal ? 'internal' : 'main',
      log,
      ids,
      hosts: {
        hosts: allowedHosts.includes('*') ? 'any' : allowedHosts,
        origins: allowedOrigins,
        settings: { hosts: 'ALLOWED_HOSTS', origins: 'ALLOWED_ORIGINS' },
      },
      onFault: () => countFault(metrics),
      health: () => ({ version, tools: [...tools.keys()], rateLimits: shown }),
      unready: () => this.#unready(),
      serve: (exchange) => this.#serve(exchange, internal || runnerOnMain, signIn),
      serveMedium: async (exchange) => {
        const authenticated = await this.#authenticate(exchange, internal || runnerOnMain, signIn);
        return this.#media.serve({ ...exchange, authenticated });
      },
      serveConsole: face && ((exchange, path) => face.serve(exchange, path)),
    });
    const listener = new HttpListener(app, { ...BOUNDS, ...bounds }, () => clocks.real.now());
    this.#listeners.push(listener);
    return listener.listen(host, port);
  }

  /** Stops accepting, lets calls in flight end (bounded), closes streams. */
  async close(): Promise<void> {
    this.#draining = true;
    const { drainMs = 0 } = this.#options;
    if (drainMs > 0) await Promise.all(this.#listeners.map((listener) => listener.drain(drainMs)));
    const closed = this.#listeners.map((listener) => listener.close(ENDING_MS));
    this.#endpoint.stop();
    this.#console?.stop();
    await Promise.all(closed);
    await this.#audit.close();
  }

  #serve(exchange: McpExchange, acceptRunner: boolean, signIn: SignIn | undefined): Promise<void> {
    const known = this.#known(exchange);
    if (known) return this.#endpoint.serve({ ...exchange, authenticated: known });
    return this.#authenticate(exchange, acceptRunner, signIn).then((authenticated) =>
      this.#endpoint.serve({ ...exchange, authenticated }),
    );
  }

  #known({ request }: McpExchange): Authenticated | undefined {
    const known = this.#authenticator.known(request);
    if (known) this.#failing.succeeded(request.socket.remoteAddress ?? '');
    return known;
  }

  /** Before the first byte of the body; addresses that keep failing wait. */
  async #authenticate(
    { request }: McpExchange,
    acceptRunner: boolean,
    signIn: SignIn | undefined,
  ): Promise<Authenticated> {
    const address = request.socket.remoteAddress ?? '';
    try {
      const authenticated = await this.#authenticator.authenticate(request.headers, acceptRunner);
      this.#failing.succeeded(address);
      return authenticated;
    } catch (error) {
      if (error instanceof HttpError) {
        this.#options.services.metrics.authFailures.inc();
        await this.#failing.failed(address);
        throw withSignIn(error, signIn?.addressOf(request));
      }
      throw error;
    }
  }

  async #unready(): Promise<string | undefined> {
    try {
      await this.#options.services.db.ping();
      return this.#draining ? 'draining' : undefined;
    } catch {
      return 'no database';
    }
  }
}

/** A 401 says where a sign-in is found; its text stays. Source: RFC 9728, 5.1. */
function withSignIn(error: HttpError, address: string | undefined): HttpError {
  const challenge = error.headers['www-authenticate'];
  if (address === undefined || challenge === undefined) return error;
  const told = `${challenge}${challenge === 'Bearer' ? ' ' : ', '}${challengeOf(address)}`;
  return new HttpError(error.status, error.message, { ...error.headers, 'www-authenticate': told });
}
