import { type Dispatcher, request } from 'undici';
import { messageOf } from '../base/errors.ts';
import type { Authorization, Connection, Lane } from './connection.ts';
import { KubeError, kubeErrorFrom } from './kube-error.ts';
import type { KubeRuntime } from './runtime.ts';
import { TokenBucket } from './token-bucket.ts';

export interface KubeRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the server's base URL, beginning with a slash. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  contentType?: string;
  accept?: string;
  /** Real time for the whole exchange; for a watch, the longest silence. */
  timeoutMs?: number;
  lane?: Lane;
  /** What the metrics call it (`list`, `watch`, `patch` …). */
  verb: string;
  /** The answer may carry secrets, also in its error texts. */
  sensitive?: boolean;
  /** How many times to try again when that is safe; 0 where the caller has a loop of its own. */
  retries?: number;
  signal?: AbortSignal | undefined;
}

export interface TransportOptions {
  /** Requests per second, on average (client-go's QPS). */
  qps?: number;
  burst?: number;
  userAgent?: string;
}

const TIMEOUT_MS = 30_000;
const RETRIES = 4;
const BACKOFF_MS = 250;
const MAX_WAIT_MS = 30_000;

/** Request middleware: client-side rate limit, time-out, bounded retries, metrics, errors without bodies. */
export class Transport {
  readonly #connection: Connection;
  readonly #runtime: KubeRuntime;
  readonly #bucket: TokenBucket;
  readonly #userAgent: string;
  readonly #host: string;

  constructor(connection: Connection, runtime: KubeRuntime, options: TransportOptions = {}) {
    this.#connection = connection;
    this.#runtime = runtime;
    this.#bucket = new TokenBucket(runtime.clock, options.qps ?? 50, options.burst ?? 100);
    this.#userAgent = options.userAgent ?? 'kube-runtime';
    this.#host = new URL(connection.server).host;
  }

  /**
   * Sends a request and parses the JSON answer.
   * @throws KubeError with status 0 when there was no answer in time
   */
  async json(spec: KubeRequest): Promise<unknown> {
    const response = await this.#send(spec, AbortSignal.timeout(spec.timeoutMs ?? TIMEOUT_MS));
    try {
      return JSON.parse(await response.body.text());
    } catch (error) {
      throw spec.signal?.aborted
        ? spec.signal.reason
        : this.#fault(spec, error, 'the answer broke off or was not JSON');
    }
  }

  /** Opens a stream; the caller consumes or destroys `body`. */
  async stream(spec: KubeRequest): Promise<Dispatcher.ResponseData['body']> {
    return (await this.#send({ lane: 'reserved', ...spec })).body;
  }

  async #send(spec: KubeRequest, deadline?: AbortSignal): Promise<Dispatcher.ResponseData> {
    // One deadline per attempt would let four slow attempts take four times as long as the caller asked for.
    const signals = [deadline, spec.signal].filter((signal) => signal !== undefined);
    const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined;
    let reauthorized = false;
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(spec, signal, reauthorized);
      if (!(outcome instanceof KubeError)) return outcome;
      // A 401 was not processed; a token that was rotated meanwhile is read once more.
      if (outcome.status === 401 && !reauthorized) {
        reauthorized = true;
        continue;
      }
      const wait = attempt < (spec.retries ?? RETRIES) ? this.#retryAfter(spec, outcome, attempt) : undefined;
      if (wait === undefined || signal?.aborted) throw outcome;
      await this.#runtime.clock.sleep(wait, signal).catch(() => {
        throw spec.signal?.aborted ? spec.signal.reason : outcome;
      });
    }
  }

  /** In how many ms to try again, or undefined when the request must not be repeated. */
  #retryAfter(spec: KubeRequest, error: KubeError, attempt: number): number | undefined {
    // 429 was refused before processing, so it is safe for writes too; anything else may have been carried out.
    const safe = error.status === 429 || (spec.method === 'GET' && (error.status === 0 || error.status >= 500));
    if (!safe) return undefined;
    const backoff = BACKOFF_MS * 2 ** attempt * (0.5 + this.#runtime.random());
    return Math.min(MAX_WAIT_MS, Math.max(backoff, (error.retryAfterSeconds ?? 0) * 1_000));
  }

  /** One exchange. An answer or a lost connection comes back as a value, the caller's abort is thrown. */
  async #attempt(
    spec: KubeRequest,
    signal: AbortSignal | undefined,
    fresh: boolean,
  ): Promise<Dispatcher.ResponseData | KubeError> {
    const authorization = await this.#connection.authorize(fresh);
    const started = this.#runtime.clock.now();
    try {
      if (spec.lane !== 'reserved') await this.#bucket.take(signal);
      const response = await request(this.#url(spec), this.#options(spec, authorization, signal));
      this.#observe(spec, String(response.statusCode), started);
      if (response.statusCode < 400) return response;
      const body = await response.body.json().catch(() => undefined);
      return kubeErrorFrom(response.statusCode, body, spec.sensitive, header(response, 'retry-after'));
    } catch (error) {
      this.#observe(spec, '<error>', started);
      if (spec.signal?.aborted) throw spec.signal.reason;
      return this.#fault(spec, error, 'no answer from the API server');
    }
  }

  #fault(spec: KubeRequest, error: unknown, what: string): KubeError {
    const code = (error as NodeJS.ErrnoException | undefined)?.code;
    const detail = typeof code === 'string' ? code : spec.sensitive ? 'unreadable' : messageOf(error);
    return new KubeError(0, 'NoAnswer', `${what} (${spec.verb} ${spec.path}): ${detail}`.slice(0, 1_024));
  }

  #url(spec: KubeRequest): URL {
    const url = new URL(this.#connection.server + spec.path);
    for (const [name, value] of Object.entries(spec.query ?? {})) {
      if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
    }
    return url;
  }

  #options(spec: KubeRequest, authorization: Authorization, signal: AbortSignal | undefined): object {
    const silence = spec.timeoutMs ?? TIMEOUT_MS;
    return {
      method: spec.method,
      dispatcher: authorization.dispatcher(spec.lane ?? 'shared'),
      headersTimeout: silence,
      bodyTimeout: silence,
      headers: {
        accept: spec.accept ?? 'application/json',
        'user-agent': this.#userAgent,
        ...(spec.body === undefined ? {} : { 'content-type': spec.contentType ?? 'application/json' }),
        ...authorization.headers,
      },
      ...(spec.body === undefined ? {} : { body: JSON.stringify(spec.body) }),
      ...(signal ? { signal } : {}),
    };
  }

  #observe(spec: KubeRequest, code: string, started: number): void {
    const seconds = (this.#runtime.clock.now() - started) / 1_000;
    this.#runtime.metrics.restRequests.inc({ code, method: spec.method, host: this.#host });
    this.#runtime.metrics.restDuration.observe({ verb: spec.verb, host: this.#host }, seconds);
  }
}

function header(response: Dispatcher.ResponseData, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
