import { Agent, type FormData } from 'undici';
import { messageOf } from '../../base/errors.ts';
import { parseOutsideJson } from '../../base/usable-text.ts';
import { guardedRequest, withoutKeys } from '../guarded-request.ts';
import type { WriteTrace } from '../write-guard.ts';
import { ProviderError } from './network-provider.ts';

export interface UnipileSettings {
  /** Server without `/api/v1`. */
  url: string;
  apiKey: string;
  /** Longest wait for an answer, real ms. */
  timeoutMs: number;
}

/** One request. `effect`: it changes something that a person can see, so a lost answer is an unknown outcome. */
export interface UnipileCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path segments after `/api/v1`; encoded here. */
  path: readonly string[];
  query?: Record<string, string | undefined>;
  json?: object;
  form?: FormData;
  effect: boolean;
  signal?: AbortSignal | undefined;
  deadlineMonotonicMs?: number | undefined;
  idempotencyKey?: string | undefined;
  /** Bytes of the files in the form: the time for an answer grows with them. */
  fileBytes?: number | undefined;
}

/** A complete answer; the body is parsed JSON, or undefined when it is none. */
export interface UnipileAnswer {
  status: number;
  body: unknown;
  retryAfterMs: number | undefined;
}

/** Bytes of an answer that are read at most. */
const MAX_BODY = 4 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 4_000;
/** Bytes per real ms that an upload makes at least; the provider hands files on to the network before it answers, at the same speed. */
const SLOWEST_UPLOAD = 256;
const HANDED_ON = 2;
/**
 * An effect goes over a connection that has rested less. On one that the server is closing nobody knows whether a request
 * arrived (RFC 9112 section 9.5), and servers close after five seconds (Node) to minutes: this is far from both. Where it
 * happens all the same the outcome is unknown and looked up, as ever.
 */
const IDLE_MS = 1_000;

/** Carries requests; knows whether a request was handed to the socket, which decides what a failure proves. */
export class UnipileHttp {
  readonly #settings: UnipileSettings;
  readonly #reads: Agent;
  readonly #effects: Agent;
  readonly #uploads: Agent;

  constructor(settings: UnipileSettings) {
    this.#settings = settings;
    const bounds = {
      connect: { timeout: CONNECT_TIMEOUT_MS },
      headersTimeout: settings.timeoutMs,
      bodyTimeout: settings.timeoutMs,
      maxResponseSize: MAX_BODY,
    };
    this.#reads = new Agent({ ...bounds, connections: 8, keepAliveTimeout: 2_000 });
    const effects = { ...bounds, keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS };
    this.#effects = new Agent({ ...effects, connections: 32 });
    // The time of a call bounds them, which grows with its files.
    this.#uploads = new Agent({ ...effects, connections: 4, headersTimeout: 0 });
  }

  /**
   * Sends once, never again.
   * @throws ProviderError `unavailable_before_send` (nothing was written, or it was only a read), else `unknown_outcome`
   */
  async call(call: UnipileCall): Promise<UnipileAnswer> {
    const trace: WriteTrace = { written: false, late: false };
    try {
      const { status, text, retryAfterMs } = await guardedRequest({
        agent: this.#agentOf(call),
        url: this.#url(call),
        method: call.method,
        headers: this.#headers(call),
        body: call.json ? JSON.stringify(call.json) : (call.form ?? null),
        timeoutMs: this.#settings.timeoutMs + CONNECT_TIMEOUT_MS + uploadMs(call),
        signal: call.signal,
        deadlineMonotonicMs: call.deadlineMonotonicMs,
        trace,
      });
      // A refusal may repeat the key, and stands in the history of a run.
      const told = status < 400 ? text : withoutKeys(text, [this.#settings.apiKey]);
      return { status, body: parseJson(told), retryAfterMs };
    } catch (error) {
      throw classify(error, call, trace);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#reads.destroy(), this.#effects.destroy(), this.#uploads.destroy()]);
  }

  #agentOf({ effect, fileBytes = 0 }: UnipileCall): Agent {
    if (fileBytes > 0) return this.#uploads;
    return effect ? this.#effects : this.#reads;
  }

  #url(call: UnipileCall): string {
    const path = call.path.map(encodeURIComponent).join('/');
    const url = new URL(`${this.#settings.url.replace(/\/+$/, '')}/api/v1/${path}`);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url.href;
  }

  #headers(call: UnipileCall): Record<string, string> {
    return {
      'x-api-key': this.#settings.apiKey,
      accept: 'application/json',
      ...(call.json ? { 'content-type': 'application/json' } : {}),
      ...(call.idempotencyKey ? { 'idempotency-key': call.idempotencyKey } : {}),
    };
  }
}

/** Real ms that the files of a call may take beside its answer. */
function uploadMs({ fileBytes = 0 }: UnipileCall): number {
  return Math.ceil(fileBytes / SLOWEST_UPLOAD) * HANDED_ON;
}

function classify(error: unknown, call: UnipileCall, trace: WriteTrace): ProviderError {
  const code = (error as { code?: unknown }).code;
  const cause = `${call.method} ${call.path[0] ?? ''}: ${typeof code === 'string' ? `${code} ` : ''}${messageOf(error)}`;
  // Nothing was written then, but the send ledger knows the state `dispatched` already and treats it as unknown.
  if (trace.late) return new ProviderError('unknown_outcome', cause);
  if (!trace.written || !call.effect) return new ProviderError('unavailable_before_send', cause);
  return new ProviderError('unknown_outcome', cause);
}

function parseJson(text: string): unknown {
  try {
    return parseOutsideJson(text);
  } catch {
    return undefined;
  }
}
