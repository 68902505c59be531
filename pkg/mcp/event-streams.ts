import type { ServerResponse } from 'node:http';
import type { Gauge } from 'prom-client';
import { sleepReal } from '../base/clock.ts';
import { HttpError } from './errors.ts';
import { openStream } from './http-io.ts';

/** Event streams per key at most. */
const MAX_STREAMS = 8;
const KEEP_ALIVE_MS = 20_000;

/** Open GET streams; comments keep them alive through proxies. */
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

  /** Keeps a stream open until the client goes or the server stops. @throws HttpError 429 */
  async keep(keyId: string, response: ServerResponse): Promise<void> {
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
    while (!ended.aborted) {
      response.write(': keep-alive\n\n');
      await sleepReal(KEEP_ALIVE_MS, ended).catch(() => undefined);
    }
    response.end();
  }

  /** Ends all streams. */
  stop(): void {
    this.#stopped.abort();
  }
}
