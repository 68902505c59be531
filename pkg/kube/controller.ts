import type { Logger } from '../base/log.ts';
import { withDeadline } from './deadline.ts';
import type { Informer } from './informer.ts';
import { type Predicate, specChanged } from './predicates.ts';
import { type Outcome, outcomeOf } from './reconcile-outcome.ts';
import type { KubeRuntime } from './runtime.ts';
import { type KubeObject, keyOf } from './types.ts';
import { type Priority, WorkQueue } from './work-queue.ts';

export interface ReconcileContext {
  /** Aborted by the time limit and when the controller stops without grace. */
  signal: AbortSignal;
  /** Carries controller, key and reconcileID. */
  log: Logger;
}

/** Come back in this many ms; nothing means: when something changes. */
export interface ReconcileResult {
  requeueAfterMs?: number | undefined;
}

/**
 * Brings the world of one key nearer to what its object says; level-triggered, idempotent.
 * Throws UserError (not retried), Waiting (delayed), anything else (back-off).
 */
export type Reconcile = (key: string, context: ReconcileContext) => Promise<ReconcileResult | undefined>;

export interface ControllerOptions {
  name: string;
  runtime: KubeRuntime;
  reconcile: Reconcile;
  workers?: number;
  /** Limit of one reconcile, in ms of the runtime's clock. */
  timeoutMs?: number;
  /** How long running reconciles may take to end after a stop, before their signal is aborted. */
  graceMs?: number;
  queue?: WorkQueue;
}

export interface WatchSettings<T extends KubeObject> {
  /** Whose keys an object concerns; its own by default, its owner's for children. */
  map?: (object: T) => string[];
  /** Which updates count; `specChanged` by default. Additions and deletions always count. */
  predicate?: Predicate<T>;
}

/** A work queue, its sources and its workers. */
export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #options: Required<Omit<ControllerOptions, 'queue' | 'name'>>;
  readonly #sources: { synced: Promise<void>; enqueueAll: () => void }[] = [];
  #open = false;

  constructor(options: ControllerOptions) {
    const { name, runtime, reconcile, workers = 4, timeoutMs = 60_000, graceMs = 25_000 } = options;
    this.name = name;
    this.#options = { runtime, reconcile, workers, timeoutMs, graceMs };
    this.queue = options.queue ?? new WorkQueue({ name, runtime });
    for (const result of ['success', 'error', 'requeue', 'requeue_after']) {
      runtime.metrics.reconciles.inc({ controller: name, result }, 0);
    }
    const { reconcileErrors, terminalErrors, reconcilePanics, reconcileTimeouts } = runtime.metrics;
    for (const metric of [reconcileErrors, terminalErrors, reconcilePanics, reconcileTimeouts]) {
      metric.inc({ controller: name }, 0);
    }
    runtime.metrics.maxConcurrent.set({ controller: name }, workers);
    runtime.metrics.activeWorkers.set({ controller: name }, 0);
  }

  /** Adds a source. Until `run`, its events only warm the cache: a standby replica works on nothing. */
  watch<T extends KubeObject>(informer: Informer<T>, settings: WatchSettings<T> = {}): this {
    const map = settings.map ?? ((object: T) => [keyOf(object)]);
    const predicate = settings.predicate ?? specChanged;
    const enqueue = (object: T, priority: Priority): void => {
      if (this.#open) for (const key of map(object)) this.queue.add(key, priority);
    };
    informer.store.addHandler({
      onAdd: (object, initial) => enqueue(object, initial ? 'background' : 'user'),
      onUpdate: (previous, object) => {
        if (predicate(previous, object)) enqueue(object, 'user');
      },
      onDelete: (object) => enqueue(object, 'user'),
      onResync: (object) => enqueue(object, 'background'),
    });
    const enqueueAll = (): void => {
      for (const object of informer.store.list()) enqueue(object, 'background');
    };
    this.#sources.push({ synced: informer.synced, enqueueAll });
    return this;
  }

  /** Asks for a reconcile from outside the watched sources (a wake, a drift scan). */
  enqueue(key: string, priority: Priority = 'user'): void {
    if (this.#open) this.queue.add(key, priority);
  }

  /**
   * Waits for the caches, then works until the signal aborts; then finishes what runs, at most `graceMs`, and
   * resolves. Runs once: a process that lost its Lease starts anew.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { workers, graceMs, runtime } = this.#options;
    this.#open = true;
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([aborted, Promise.all(this.#sources.map((source) => source.synced))]);
    if (!signal.aborted) for (const source of this.#sources) source.enqueueAll();
    const hard = new AbortController();
    const running = Promise.all(Array.from({ length: workers }, () => this.#work(hard.signal, signal)));
    await aborted;
    this.#open = false;
    this.queue.shutDown();
    const patience = new AbortController();
    runtime.clock.sleep(graceMs, patience.signal).then(
      () => hard.abort(new Error('stopping')),
      () => undefined,
    );
    await running;
    patience.abort();
  }

  async #work(hard: AbortSignal, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const key = await this.queue.take();
      if (key === undefined) return;
      try {
        await this.#process(key, hard);
      } finally {
        this.queue.done(key);
      }
    }
  }

  async #process(key: string, hard: AbortSignal): Promise<void> {
    const { runtime, reconcile, timeoutMs } = this.#options;
    const { metrics, clock } = runtime;
    const labels = { controller: this.name };
    const log = runtime.log.child({ controller: this.name, object: key, reconcileID: runtime.ids.uuid() });
    const started = clock.now();
    metrics.activeWorkers.inc(labels);
    try {
      const result = await withDeadline(clock, timeoutMs, hard, async (signal) => {
        try {
          const done = await reconcile(key, { signal, log });
          return { outcome: after(done) };
        } catch (error) {
          return { outcome: outcomeOf(error, signal), error };
        }
      });
      this.#settle(key, result.outcome, log, result.error);
    } finally {
      metrics.activeWorkers.dec(labels);
      metrics.reconcileTime.observe(labels, (clock.now() - started) / 1_000);
    }
  }

  /** What the outcome means for the key: success and waiting forget its failures, faults back off. */
  #settle(key: string, outcome: Outcome, log: Logger, error?: unknown): void {
    const { metrics } = this.#options.runtime;
    metrics.reconciles.inc({ controller: this.name, result: RESULTS[outcome.kind] });
    if (outcome.kind === 'success') {
      this.queue.forget(key);
      return;
    }
    if (outcome.kind === 'later') {
      this.queue.forget(key);
      this.queue.addAfter(key, outcome.afterMs);
      return;
    }
    if (outcome.kind === 'conflict') {
      this.queue.addRateLimited(key);
      log.debug({ err: error }, 'conflict, trying again');
      return;
    }
    metrics.reconcileErrors.inc({ controller: this.name });
    if (outcome.kind === 'terminal') {
      this.queue.forget(key);
      metrics.terminalErrors.inc({ controller: this.name });
      log.warn({ err: error }, 'waits for a person');
      return;
    }
    if (outcome.panic) metrics.reconcilePanics.inc({ controller: this.name });
    if (outcome.timeout) metrics.reconcileTimeouts.inc({ controller: this.name });
    this.queue.addRateLimited(key);
    log.error({ err: error, failures: this.queue.failures(key) }, 'reconcile failed');
  }
}

/** controller-runtime's names of what became of a reconcile. */
const RESULTS = {
  success: 'success',
  later: 'requeue_after',
  conflict: 'requeue',
  terminal: 'error',
  failed: 'error',
} as const satisfies Record<Outcome['kind'], string>;

function after(result: ReconcileResult | undefined): Outcome {
  const afterMs = result?.requeueAfterMs;
  return afterMs === undefined ? { kind: 'success' } : { kind: 'later', afterMs };
}
