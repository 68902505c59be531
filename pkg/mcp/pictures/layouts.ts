import { createHash } from 'node:crypto';
import { ForeignBusy, ForeignOverrun } from '../../base/foreign-bytes/overrun.ts';
import { ParsePool } from '../../base/foreign-bytes/parse-pool.ts';
import { workerFile } from '../../base/foreign-bytes/worker-file.ts';
import { HttpError } from '../../base/http/http-error.ts';
import type { GraphShape, Layout } from './picture.ts';

/** A graph of 200 nodes and 400 edges takes about a second, and much longer where all leads to all. */
const LIMITS = { workers: 1, heapMb: 160, withinMs: 30_000, queued: 32, queuedOfOne: 4 };
/** Layouts kept at most; the largest has some 50 KB, a usual one 2. */
const MOST_KEPT = 200;

/**
 * Layouts of graphs, each made once and kept while it is asked for. They are kept by the shape of the graph, which is all that they
 * depend on: a version of a graph never changes, so that it is laid out once, and what is kept holds no text of any tenant.
 */
export class Layouts {
  readonly #pool: Pick<ParsePool, 'parse' | 'close'>;
  /** The one that was asked for longest ago comes first. Those under way are among them: two who ask share one. */
  readonly #kept = new Map<string, Promise<Layout>>();

  /** @param pool lays out; absent: a worker */
  constructor(pool?: Pick<ParsePool, 'parse' | 'close'>) {
    this.#pool = pool ?? new ParsePool(workerFile('picture-worker', import.meta.url), LIMITS);
  }

  /** @param tenant whose turn it is among those who wait @throws HttpError 422 for what can not be drawn, 503 while too much waits */
  async of(tenant: string, shape: GraphShape): Promise<Layout> {
    const key = createHash('sha256').update(JSON.stringify(shape)).digest('base64');
    const known = this.#kept.get(key);
    const asked = known ?? this.#pool.parse<Layout>(tenant, shape);
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

  close(): Promise<void> {
    return this.#pool.close();
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof ForeignBusy)
    return new HttpError(503, 'Too many pictures wait to be drawn. Try again in a minute.', { 'retry-after': '60' });
  if (error instanceof ForeignOverrun)
    return new HttpError(
      422,
      `This graph can not be drawn: ${error.message}. Its list of nodes is complete: svc_get_workflow.`,
    );
  return error;
}
