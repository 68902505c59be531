import { type Agent, type FormData, request } from 'undici';
import { NEVER, SystemClock, withDeadline } from '../base/clock.ts';
import { usableText } from '../base/usable-text.ts';
import { type WriteTrace, writeGuard } from './write-guard.ts';

/** One request of a provider. */
export interface GuardedRequest {
  agent: Agent;
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | FormData | null;
  /** Longest time until the answer is complete, real ms. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** The request is not written after this (monotonic ms). */
  deadlineMonotonicMs: number | undefined;
  /** Told what became of it, also when it fails. */
  trace: WriteTrace;
}

/** A complete answer, whatever its status. */
export interface GuardedAnswer {
  status: number;
  text: string;
  retryAfterMs: number | undefined;
}

/** Longest wait that the other side is believed; then it is asked again. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** Sends once, never again, and reads the whole answer in time. @throws what undici throws; `trace` says what that proves */
export function guardedRequest(asked: GuardedRequest): Promise<GuardedAnswer> {
  return withDeadline(asked.timeoutMs, asked.signal ?? NEVER, async (signal) => {
    const answer = await request(asked.url, {
      dispatcher: asked.agent.compose(writeGuard(asked.deadlineMonotonicMs, asked.trace)),
      // The type of undici lists common methods; REPORT (WebDAV) is sent as it is.
      method: asked.method as 'GET',
      headers: asked.headers,
      body: asked.body,
      signal,
    });
    const text = usableText(await answer.body.text());
    return { status: answer.statusCode, text, retryAfterMs: waitNamedBy(answer.headers) };
  });
}

/** `Retry-After`, which is seconds or a date (RFC 9110, 10.2.3); undefined: none is named, or it has passed. */
function waitNamedBy(headers: Readonly<Record<string, string | string[] | undefined>>): number | undefined {
  const { 'retry-after': named, date } = headers;
  if (typeof named !== 'string') return undefined;
  const seconds = Number(named);
  const ms = Number.isNaN(seconds) ? Date.parse(named) - clockOf(date) : seconds * 1_000;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

/** The other side's clock, by which it names dates; ours where it does not tell. */
function clockOf(date: string | string[] | undefined): number {
  const told = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(told) ? new SystemClock().now() : told;
}
