import type { ServerResponse } from 'node:http';
import type { Gauge } from 'prom-client';
import { sleepReal } from '../../base/clock.ts';
import { HttpError } from '../../base/http/http-error.ts';
import { openStream } from '../http-io.ts';

/** Event streams per key at most. */
const MAX_STREAMS = 8;
const KEEP_ALIVE_MS = 20_000;
const KEEP_ALIVE = ': keep-alive\n\n';

/** What happens on a stream that is kept open. */
export interface Keeping {
  /** The stream is open; `ended` is aborted when the client goes or the server stops. */
  opened: (ended: AbortSignal) => void | Promise<void>;
  /** Asked at every keep-alive. @throws when the caller may not listen any more */
  allowed: () => Promise<unknown>;
  /** The server ends the stream. */
  closing?: () => void;
}

/** Streams that stay open; comments keep them alive through proxies. */
export class EventStreams {
  readonly #byKey = new Map<string, Set<ServerResponse>>();
  readonly #gauge: Gauge;
  readonly #stopped = new AbortController();

  constructor(gauge: Gauge) {
    this.#gauge = gauge;
  }

  /** Number of open streams. */
  get size(): number {
    let count = 0;
    for (const streams of this.#byKey.values()) count += streams.size;
    return count;
  }

  /** Keeps a stream open until the client goes, may not listen any more, or the server stops. @throws HttpError 429 */
  async keep(keyId: string, response: ServerResponse, keeping: Keeping): Promise<void> {
    // Who left before the stream began is never told to leave.
    if (response.destroyed) return;
    const mine = this.#byKey.get(keyId) ?? new Set<ServerResponse>();
    if (mine.size >= MAX_STREAMS) {
      throw new HttpError(429, `At most ${MAX_STREAMS} event streams per key.`, { 'retry-after': '5' });
    }
    openStream(response);
    mine.add(response);
    this.#byKey.set(keyId, mine);
    this.#gauge.inc();
    const closed = new AbortController();
    response.once('close', () => {
      closed.abort();
      mine.delete(response);
      if (mine.size === 0 && this.#byKey.get(keyId) === mine) this.#byKey.delete(keyId);
      this.#gauge.dec();
    });
    const ended = AbortSignal.any([closed.signal, this.#stopped.signal]);
    try {
      response.write(KEEP_ALIVE);
      await keeping.opened(ended);
      while (!ended.aborted && !response.writableEnded) {
        await sleepReal(KEEP_ALIVE_MS, ended).catch(() => undefined);
        if (ended.aborted) break;
        await keeping.allowed();
        response.write(KEEP_ALIVE);
      }
      if (!closed.signal.aborted) keeping.closing?.();
    } catch (error) {
      // The headers are out: what a caller may not hear any more simply ends.
      if (!(error instanceof HttpError)) throw error;
    } finally {
      closed.abort();
      response.end();
    }
  }

  /** Ends all streams. */
  stop(): void {
    this.#stopped.abort();
  }
}
