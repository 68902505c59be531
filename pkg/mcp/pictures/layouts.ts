import { createHash } from 'node:crypto';
import { monotonicMs } from '../../base/clock.ts';
import { ForeignBusy } from '../../base/foreign-bytes/overrun.ts';
import { ParsePool } from '../../base/foreign-bytes/parse-pool.ts';
import { workerFile } from '../../base/foreign-bytes/worker-file.ts';
import { HttpError } from '../../base/http/http-error.ts';
import { Overruns } from './overruns.ts';
import type { GraphShape, Layout } from './picture.ts';
import { quickLayout } from './quick-layout.ts';

/**
 * A graph of 200 nodes and 400 edges takes some seconds, and much longer where all leads to all. One worker, since the server's memory
 * has no room for more; so what takes long is bounded for each graph and each workspace (overruns.ts).
 */
const LIMITS = { workers: 1, heapMb: 160, withinMs: 8_000, queued: 32, queuedOfOne: 4 };
/** Layouts kept at most; the largest has some 50 KB, a usual one 2. */
const MOST_KEPT = 200;

/**
 * Layouts of graphs, each made once and kept while it is asked for. They are kept by the shape of the graph, which is all that they
 * depend on: a version of a graph never changes, so that it is laid out once, and what is kept holds no text of any tenant. A graph
 * that takes too much gets a plainer layout, and is known from then on: it takes a worker's time once.
 */
export class Layouts {
  readonly #pool: Pick<ParsePool, 'parse' | 'close'>;
  /** The one that was asked for longest ago comes first. Those under way are among them: two who ask share one. */
  readonly #kept = new Map<string, Promise<Layout>>();
  readonly #overruns: Overruns;

  /** @param pool lays out; absent: a worker */
  constructor(pool?: Pick<ParsePool, 'parse' | 'close'>, { withinMs = LIMITS.withinMs, now = monotonicMs } = {}) {
    this.#pool = pool ?? new ParsePool(workerFile('picture-worker', import.meta.url), { ...LIMITS, withinMs });
    this.#overruns = new Overruns(now);
  }

  /** @param tenant whose turn it is among those who wait @throws HttpError 503 while too much waits */
  async of(tenant: string, shape: GraphShape): Promise<Layout> {
    const key = hashOf(shape);
    const known = this.#kept.get(key);
    // It is not kept: once the tenant may again, the graph gets its good layout.
    if (!known && this.#overruns.isSpent(tenant, shape)) return quickLayout(shape);
    const asked = known ?? this.#lay(tenant, shape);
    this.#kept.delete(key);
    this.#kept.set(key, asked);
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
    try {
      return await asked;
    } catch (error) {
      if (this.#kept.get(key) === asked) this.#kept.delete(key);
      throw refusalOf(error);
    }
  }

  async #lay(tenant: string, shape: GraphShape): Promise<Layout> {
    if (this.#overruns.has(shape)) return quickLayout(shape);
    try {
      return await this.#pool.parse<Layout>(tenant, shape);
    } catch (error) {
      // Also what the good layout can not do at all is drawn.
      if (error instanceof ForeignBusy) throw error;
      this.#overruns.add(tenant, shape);
      return quickLayout(shape);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64');

function refusalOf(error: unknown): unknown {
  if (!(error instanceof ForeignBusy)) return error;
  return new HttpError(503, 'Too many pictures wait to be drawn. Try again in a minute.', { 'retry-after': '60' });
}
