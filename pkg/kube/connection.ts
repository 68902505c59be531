import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { HttpMethod, KubeConfig, RequestContext } from '@kubernetes/client-node';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { Clock } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import { isThisMachine } from '../base/this-machine.ts';

/** Where the API server is and who we are. The environment's KUBECONFIG is never read: it may be production. */
export type KubeConfigSource = { path: string } | { text: string } | { inCluster: true };

/**
 * `shared` carries ordinary requests over few sockets; `reserved` carries Lease renewals and watches, which must
 * never wait for one of those.
 */
export type Lane = 'shared' | 'reserved';

export interface Authorization {
  headers: Record<string, string>;
  dispatcher(lane: Lane): Dispatcher;
}

type DispatcherOptions = ReturnType<KubeConfig['createDispatcherOptions']>;

/**
 * The library builds a new Agent, thus a new TLS handshake, for every single request (its createDispatcher has no
 * cache). This subclass takes the options that it computed and lets it build nothing.
 */
class CapturingConfig extends KubeConfig {
  captured: DispatcherOptions = { type: 'none' };

  override createDispatcherOptions(...args: Parameters<KubeConfig['createDispatcherOptions']>): DispatcherOptions {
    const plain = args[0]?.server.startsWith('http:') && !args[0].proxyUrl;
    this.captured = plain ? { type: 'none' } : super.createDispatcherOptions(...args);
    return { type: 'none' };
  }
}

/** Credentials and certificates are read again this often: rotated files are seen, but not one read per request. */
const REFRESH_MS = 60_000;
const SHARED_SOCKETS = 32;
const MAX_RESPONSE_BYTES = 256 * 1_024 * 1_024;

/** One pooled, authenticated way to one API server. */
export class Connection {
  /** Base URL without a trailing slash. */
  readonly server: string;
  readonly #config: CapturingConfig;
  readonly #clock: Clock;
  #pool: { hash: string; lanes: Record<Lane, Dispatcher> } | undefined;
  #current: { until: number; value: Promise<Authorization> } | undefined;

  private constructor(config: CapturingConfig, clock: Clock) {
    const cluster = config.getCurrentCluster();
    if (!cluster) throw new UserError('The kubeconfig names no current cluster.', 'InvalidKubeconfig');
    refusePlainRemote(cluster.server);
    this.server = cluster.server.replace(/\/+$/, '');
    this.#config = config;
    this.#clock = clock;
  }

  /** @throws UserError when the kubeconfig cannot be read; its message carries no credentials */
  static open(source: KubeConfigSource, clock: Clock): Connection {
    const config = new CapturingConfig();
    try {
      if ('path' in source) config.loadFromFile(source.path);
      else if ('text' in source) config.loadFromString(source.text);
      else config.loadFromCluster();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'not a kubeconfig';
      throw new UserError(`The kubeconfig cannot be read (${code}).`, 'InvalidKubeconfig');
    }
    return new Connection(config, clock);
  }

  /** Headers and dispatchers for the next request. `fresh` forgets what is cached, after a 401. */
  async authorize(fresh = false): Promise<Authorization> {
    const now = this.#clock.now();
    if (fresh || !this.#current || this.#current.until <= now) {
      this.#current = { until: now + REFRESH_MS, value: this.#load() };
      this.#current.value.catch(() => {
        this.#current = undefined;
      });
    }
    return this.#current.value;
  }

  /** Ends all sockets, watches included. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    this.#current = undefined;
    if (pool) await Promise.all(Object.values(pool.lanes).map((dispatcher) => dispatcher.destroy()));
  }

  async #load(): Promise<Authorization> {
    const context = new RequestContext(this.server, HttpMethod.GET);
    await this.#config.applySecurityAuthentication(context);
    const headers = Object.fromEntries(Object.entries(context.getHeaders()).map(([k, v]) => [k.toLowerCase(), v]));
    const token = await this.#fileToken();
    if (token) headers.authorization = `Bearer ${token}`;
    const lanes = this.#lanes(this.#config.captured);
    return { headers, dispatcher: (lane) => lanes[lane] };
  }

  /** The library keeps a token file for 60 s of its own, in one place for all configurations; after a 401 that is too long. */
  async #fileToken(): Promise<string | undefined> {
    const file: unknown = this.#config.getCurrentUser()?.authProvider?.config?.tokenFile;
    return typeof file === 'string' ? (await readFile(file, 'utf8')).trim() : undefined;
  }

  /** The pool lives as long as the certificates' bytes stay the same; a replaced one ends when its streams end. */
  #lanes(options: DispatcherOptions): Record<Lane, Dispatcher> {
    const hash = createHash('sha256').update(JSON.stringify(options)).digest('hex');
    if (this.#pool?.hash === hash) return this.#pool.lanes;
    if (this.#pool) for (const old of Object.values(this.#pool.lanes)) void old.close().catch(() => undefined);
    const shared = build(options, { connections: SHARED_SOCKETS, maxResponseSize: MAX_RESPONSE_BYTES });
    this.#pool = { hash, lanes: { shared, reserved: build(options, {}) } };
    return this.#pool.lanes;
  }
}

function build(options: DispatcherOptions, limits: { connections?: number; maxResponseSize?: number }): Dispatcher {
  // HTTP/1.1 on purpose: a watch that stalls its HTTP/2 window would stall everything else on the connection.
  const common = { ...limits, allowH2: false, pipelining: 1, keepAliveTimeout: 60_000 };
  if (options.type === 'proxy') return new ProxyAgent({ ...common, uri: options.uri, requestTls: options.requestTls });
  if (options.type === 'socks') throw new UserError('SOCKS proxies are not supported.', 'InvalidKubeconfig');
  const connect = options.type === 'agent' ? options.connect : {};
  return new Agent({
    ...common,
    connect: { timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 30_000, ...connect },
  });
}

/** Credentials never leave the machine unencrypted. */
function refusePlainRemote(server: string): void {
  if (new URL(server).protocol === 'https:' || isThisMachine(server)) return;
  throw new UserError('An API server over plain HTTP is accepted on loopback only.', 'InvalidKubeconfig');
}
