import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { sleepReal } from '../../base/clock.ts';
import { CallError } from '../call-error.ts';
import type { GuardedAnswer } from '../guarded-request.ts';
import { exchange, type OutsideAnswer, type OutsideRequest, refusalOf } from '../outside-http.ts';

const TIMEOUT_MS = 15_000;
/** Waits of a question that Google did not answer because it is asked too often, or had a fault; real ms, each with up to as much again. */
const WAITS_MS: readonly number[] = [250, 500, 1_000];
/** A longer wait is the caller's. */
const LONGEST_MS = 3_000;
/** Real ms in which a refused token is renewed. */
const RENEWED_MS = 60_000;

/** What opens an API of Google. */
export interface GoogleAccess {
  url: string;
  token: string;
  reach: 'public' | 'any';
  /**
   * Google does not take the token any more: who can renew it hears of it. @returns the new one; null: another process renews it.
   * Absent: nobody can
   */
  renew?: ((refused: string) => Promise<string | null>) | undefined;
}

export interface GoogleRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the API, each part by itself. */
  path: readonly string[];
  query?: Readonly<Record<string, string | readonly string[]>>;
  body?: unknown;
  /** The version that is meant. */
  etag?: string;
  /** It is handed to the socket before, or not at all (monotonic ms). */
  deadlineMonotonicMs?: number | undefined;
}

/**
 * Asks once; what only reads is asked again after a while where Google is asked too often or had a fault, and all once with a new token
 * where the old one is refused: that proves that nothing was done.
 * @returns an answer below 300, or with a status among `also`. @throws CallError
 */
export async function askGoogle(
  access: GoogleAccess,
  request: GoogleRequest,
  signal: AbortSignal,
  also: readonly number[] = [],
): Promise<GuardedAnswer> {
  for (let look = 0; ; look++) {
    try {
      return await askedOnce(access, request, signal, also);
    } catch (error) {
      const wait = request.method === 'GET' ? waitAfter(error, look) : undefined;
      if (wait === undefined) throw error;
      await sleepReal(wait, signal);
    }
  }
}

async function askedOnce(
  access: GoogleAccess,
  request: GoogleRequest,
  signal: AbortSignal,
  also: readonly number[],
): Promise<GuardedAnswer> {
  const call = callOf(access, request, signal);
  const answer = await exchange(call);
  if (answer.status < 300 || also.includes(answer.status)) return answer;
  if (answer.status !== 401 || !access.renew) throw googleRefusal(call, answer);
  const token = await access.renew(access.token);
  if (token === null) throw new CallError('busy', 'Google refused the access token; it is being renewed', RENEWED_MS);
  // What is asked next with this access has it too.
  access.token = token;
  const again = callOf(access, request, signal);
  const second = await exchange(again);
  if (second.status < 300 || also.includes(second.status)) return second;
  throw googleRefusal(again, second);
}

function callOf(
  access: GoogleAccess,
  { method, path, query = {}, body, etag, deadlineMonotonicMs }: GoogleRequest,
  signal: AbortSignal,
): OutsideRequest {
  const where = `${access.url.replace(/\/+$/, '')}/${path.map(encodeURIComponent).join('/')}`;
  const asks = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
  ).toString();
  return {
    method,
    url: asks === '' ? where : `${where}?${asks}`,
    headers: {
      authorization: `Bearer ${access.token}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      ...(etag ? { 'if-match': etag } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeoutMs: TIMEOUT_MS,
    signal,
    deadlineMonotonicMs,
    harmless: method === 'GET',
    reach: access.reach,
  };
}

function waitAfter(error: unknown, look: number): number | undefined {
  const base = WAITS_MS[look];
  if (base === undefined || !(error instanceof CallError) || error.kind !== 'busy') return undefined;
  const asked = error.retryAfterMs ?? 0;
  return asked > LONGEST_MS ? undefined : Math.max(asked, base + randomInt(base));
}

const refusalShape = z.object({
  error: z.object({
    message: z.string().default(''),
    status: z.string().default(''),
    errors: z.array(z.object({ reason: z.string().default('') })).default([]),
  }),
});

/** What Google says of a refusal: `reason`: its word for programs, '' where there is none. */
export function saidByGoogle({ text }: OutsideAnswer): { reason: string; message: string } {
  try {
    const { error } = refusalShape.parse(JSON.parse(text));
    return { reason: error.errors[0]?.reason || error.status, message: error.message };
  } catch {
    return { reason: '', message: '' };
  }
}

/** Words for being asked too often, by 403 and 429 alike. */
const TOO_OFTEN: ReadonlySet<string> = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'quotaExceeded',
  'dailyLimitExceeded',
  'calendarUsageLimitsExceeded',
  'RESOURCE_EXHAUSTED',
]);

/** Whether a refusal says that Google is asked too often. */
export function isTooOften(answer: OutsideAnswer): boolean {
  return answer.status === 429 || (answer.status === 403 && TOO_OFTEN.has(saidByGoogle(answer).reason));
}

/** When Google wants to be asked again, ms; of limits of a day it says it in words. @param now epoch ms, real time */
export function retryAfter({ retryAfterMs, ...answer }: GuardedAnswer, now: number): number | undefined {
  if (retryAfterMs !== undefined) return retryAfterMs;
  const [, at = ''] = /Retry after (\d{4}-\d\d-\d\dT[\d:.]+Z)/i.exec(saidByGoogle(answer).message) ?? [];
  const ms = Date.parse(at) - now;
  return ms > 0 ? ms : undefined;
}

function googleRefusal(call: OutsideRequest, answer: GuardedAnswer): CallError {
  if (isTooOften(answer)) return new CallError('busy', 'Google is asked too often', answer.retryAfterMs, true);
  return refusalOf(call, answer);
}
