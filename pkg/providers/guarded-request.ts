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
  /** The status says it all: of the body its beginning is enough, and it may break off or never end. */
  statusDecides?: boolean | undefined;
}

/** A complete answer, whatever its status. */
export interface GuardedAnswer {
  status: number;
  text: string;
  retryAfterMs: number | undefined;
  /** Where a redirect leads. */
  location?: string | undefined;
  /** Which version of what was asked for it is; absent: the other side does not say. */
  etag?: string;
  /** What a WebDAV server can do. */
  dav?: string;
}

/** Longest wait that the other side is believed; then it is asked again. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;
/** Bytes of a body that are read where the status says it all. */
const BEGINNING = 64 * 1024;

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
    const text = usableText(asked.statusDecides ? await beginningOf(answer.body) : await answer.body.text());
    const { location, etag } = answer.headers;
    const dav = [answer.headers['dav'] ?? []].flat().join(', ');
    return {
      status: answer.statusCode,
      text,
      retryAfterMs: waitNamedBy(answer.headers),
      ...(typeof location === 'string' ? { location } : {}),
      ...(typeof etag === 'string' ? { etag } : {}),
      ...(dav === '' ? {} : { dav }),
    };
  });
}

/** What can be had of a body; the rest is given up, and its connection with it. */
async function beginningOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= BEGINNING) break;
    }
  } catch {
    // What came before stays.
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks).subarray(0, BEGINNING).toString('utf8');
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

/** Shorter ones would be found in words. */
const LEAST_KEY = 6;

/** A refusal without the keys that some servers repeat in it: errors stand in logs and in the history of runs. */
export function withoutKeys(text: string, keys: readonly string[]): string {
  return keys.filter((key) => key.length >= LEAST_KEY).reduce((left, key) => left.replaceAll(key, '***'), text);
}
