import { isIP } from 'node:net';
import { Agent } from 'undici';
import { messageOf } from '../base/errors.ts';
import { holdsCredentials } from '../base/this-machine.ts';
import { parseOutsideJson, usableText } from '../base/usable-text.ts';
import { CallError } from './call-error.ts';
import { type GuardedAnswer, guardedRequest, withoutKeys } from './guarded-request.ts';
import { isPublicAddress, PrivateAddressError, publicLookup } from './public-address.ts';
import type { WriteTrace } from './write-guard.ts';

/** One request to a system outside. */
export interface OutsideRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'PROPFIND' | 'REPORT';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** Real ms for the whole exchange. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** The request is handed to the socket before, or not at all (monotonic ms). */
  deadlineMonotonicMs?: number | undefined;
  /** It only asks: a lost answer proves that nothing was done. */
  harmless: boolean;
  /** The status says it all, as of a webhook: its body may be long, break off or never end. */
  statusDecides?: boolean;
  /** Addresses that it may go to: `public` refuses what is not https or not on the public internet. */
  reach: 'public' | 'any';
}

export interface OutsideAnswer {
  status: number;
  text: string;
}

/** Bytes of an answer that are read at most. */
const MAX_BODY = 1024 * 1024;
const CONNECT_TIMEOUT_MS = 5_000;
/** Characters of an error answer that a message shows. */
const SHOWN = 200;

/** A connection that has rested longer is not used again: servers close after five seconds to minutes. */
const IDLE_MS = 1_000;

const agents = new Map<string, Agent>();

/** For what must not be done twice no keep-alive: on a reused connection that the server is closing nobody knows whether a request arrived. */
function agentOf({ reach, harmless }: OutsideRequest): Agent {
  const kind = `${reach} ${harmless}`;
  const known = agents.get(kind);
  if (known) return known;
  const made = new Agent({
    connections: 32,
    ...(harmless ? { keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS } : { pipelining: 0 }),
    maxResponseSize: MAX_BODY,
    connect: { timeout: CONNECT_TIMEOUT_MS, ...(reach === 'public' ? { lookup: publicLookup } : {}) },
  });
  agents.set(kind, made);
  return made;
}

/**
 * Sends once, never again, and follows no redirect.
 * @returns any answer below 300
 * @throws CallError with what the failure proves
 */
export async function askOutside(call: OutsideRequest): Promise<OutsideAnswer> {
  const answer = await exchange(call);
  if (answer.status < 300) return answer;
  throw refusalOf(call, answer);
}

/** As `askOutside`, but hands back every complete answer, whatever its status. @throws CallError when there is none */
export async function exchange(call: OutsideRequest): Promise<GuardedAnswer> {
  requireReachable(call);
  const trace: WriteTrace = { written: false, late: false };
  try {
    return await guardedRequest({
      agent: agentOf(call),
      url: call.url,
      method: call.method,
      headers: { ...call.headers },
      body: call.body ?? null,
      timeoutMs: call.timeoutMs,
      signal: call.signal,
      deadlineMonotonicMs: call.deadlineMonotonicMs,
      trace,
      statusDecides: call.statusDecides,
    });
  } catch (error) {
    throw lossOf(call, error, trace);
  }
}

/**
 * Refuses an address that may not be gone to: with `public` reach what is not https, holds a name or password, or is no public address.
 * Literal addresses never reach the resolver, so they are judged here.
 * @throws CallError `refused`
 */
export function requireReachable({ url, reach }: Pick<OutsideRequest, 'url' | 'reach'>): void {
  if (reach === 'any') return;
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:') throw new CallError('refused', 'only https addresses are called');
  if (holdsCredentials(url)) throw new CallError('refused', 'addresses with a name or password are not called');
  const literal = hostname.replace(/^\[|\]$/g, '');
  const local = literal === 'localhost' || literal.endsWith('.localhost');
  if (local || (isIP(literal) !== 0 && !isPublicAddress(literal))) {
    throw new CallError('refused', `${hostname} is not a public address`);
  }
}

function lossOf(call: OutsideRequest, error: unknown, trace: WriteTrace): CallError {
  const cause = rootOf(error);
  const code = (cause as { code?: unknown }).code;
  const text = `${call.method} ${new URL(call.url).host}: ${typeof code === 'string' ? `${code} ` : ''}${messageOf(cause)}`;
  if (cause instanceof PrivateAddressError) return new CallError('refused', cause.message);
  if (!trace.written) return new CallError('not_sent', text);
  return new CallError(call.harmless ? 'busy' : 'lost', text);
}

function rootOf(error: unknown): unknown {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error && at.cause instanceof Error; depth++) at = at.cause;
  return at;
}

const TOO_MANY = 429;
/**
 * Asked for patience, nothing was done: out of credits, locked by another change, too early, too many, moving house (HubSpot's 477), away.
 */
const NOT_NOW: ReadonlySet<number> = new Set([402, 423, 425, TOO_MANY, 477, 503]);
const TIMED_OUT = 408;

/** What a complete answer that is no success proves. */
export function refusalOf(
  call: OutsideRequest,
  answer: OutsideAnswer & { retryAfterMs?: number | undefined },
): CallError {
  const { status, text, retryAfterMs } = answer;
  const said = usableText(withoutKeys(text, keysOf(call)).replace(/\s+/g, ' '), SHOWN);
  const message = `${new URL(call.url).host} answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 401) return new CallError('auth', message);
  // A record, a property or an endpoint that the credentials do not reach: with others they do their work.
  if (status === 403) return new CallError('forbidden', message);
  if (NOT_NOW.has(status)) return new CallError('busy', message, retryAfterMs, status === TOO_MANY);
  // A server that failed half way, or took too long, may have done its work.
  if (status >= 500 || status === TIMED_OUT)
    return new CallError(call.harmless ? 'busy' : 'lost', message, retryAfterMs);
  return new CallError('refused', message);
}

/** Headers that open a door, by the words in their names: each provider has its own. */
const OPENS = /authorization|key|token|secret/i;

/** Everything in a request that opens the door. */
function keysOf({ headers = {} }: OutsideRequest): string[] {
  const [scheme = '', given = ''] = (headers['authorization'] ?? '').split(' ');
  const password = scheme === 'Basic' ? Buffer.from(given, 'base64').toString().split(':').slice(1).join(':') : '';
  const whole = Object.entries(headers).flatMap(([name, value]) => (OPENS.test(name) ? [value] : []));
  return [given, password, ...whole];
}

/** The JSON of an answer. @throws CallError when it is none, which is no answer at all */
export function jsonOf(answer: OutsideAnswer, harmless: boolean): unknown {
  try {
    return parseOutsideJson(answer.text);
  } catch {
    throw new CallError(harmless ? 'busy' : 'lost', 'the answer is no JSON');
  }
}
