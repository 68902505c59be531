import type { KubeMetrics, QueueProbe } from '../metrics/kube-metrics.ts';
import { DelayHeap } from './delay-heap.ts';
import { RateLimiter } from './rate-limiter.ts';
import type { KubeRuntime } from './runtime.ts';

/** `user` for what somebody just changed; `background` for first lists and resyncs, which come after. */
export type Priority = 'user' | 'background';

export interface WorkQueueOptions {
  /** Also the label of the metrics. */
  name: string;
  runtime: KubeRuntime;
  limiter?: RateLimiter;
}

/**
 * client-go's work queue. A key waits at most once; a key added while it is worked on comes back once afterwards; two
 * workers never hold the same key. Delayed adds keep the earliest time.
 */
export class WorkQueue {
  readonly #runtime: KubeRuntime;
  readonly #labels: { name: string; controller: string };
  readonly #limiter: RateLimiter;
  /** Everything that must be worked on, whether waiting or (again) while in work; with the time it was added. */
  readonly #dirty = new Map<string, { priority: Priority; since: number }>();
  readonly #waiting: Record<Priority, Set<string>> = { user: new Set(), background: new Set() };
  readonly #processing = new Map<string, number>();
  readonly #delayed = new Map<string, { at: number; priority: Priority }>();
  readonly #heap = new DelayHeap();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #timer: { at: number; cancel: AbortController } | undefined;
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#runtime = options.runtime;
    this.#labels = { name: options.name, controller: options.name };
    this.#limiter = options.limiter ?? new RateLimiter(options.runtime.clock);
    this.#metrics.queueProbes.set(options.name, () => this.#probe());
    this.#metrics.queueDepth.set(this.#labels, 0);
    this.#metrics.queueAdds.inc(this.#labels, 0);
    this.#metrics.queueRetries.inc(this.#labels, 0);
  }

  get #metrics(): KubeMetrics {
    return this.#runtime.metrics;
  }

  /** Keys that wait for a worker now. */
  get depth(): number {
    return this.#waiting.user.size + this.#waiting.background.size;
  }

  /** Keys that wait for their time. */
  get delayed(): number {
    return this.#delayed.size;
  }

  add(key: string, priority: Priority = 'user'): void {
    if (this.#closed) return;
    const known = this.#dirty.get(key);
    if (known && (known.priority === 'user' || priority === 'background')) return;
    if (!known) this.#metrics.queueAdds.inc(this.#labels);
    this.#dirty.set(key, { priority, since: known?.since ?? this.#runtime.clock.now() });
    if (this.#processing.has(key)) return;
    this.#waiting.background.delete(key);
    this.#waiting[priority].add(key);
    this.#hand();
  }

  /** Adds the key in `ms`; of several times the earliest counts. */
  addAfter(key: string, ms: number, priority: Priority = 'background'): void {
    if (this.#closed) return;
    if (ms <= 0) {
      this.add(key, priority);
      return;
    }
    const at = this.#runtime.clock.now() + ms;
    const known = this.#delayed.get(key);
    if (known && known.at <= at) return;
    this.#delayed.set(key, { at, priority });
    this.#heap.push(key, at);
    this.#arm();
  }

  /** Adds the key after its back-off; counts a failure until `forget`. */
  addRateLimited(key: string, priority: Priority = 'background'): void {
    this.#metrics.queueRetries.inc(this.#labels);
    this.addAfter(key, this.#limiter.when(key), priority);
  }

  /** The key succeeded, or trying again is pointless: its back-off starts over. */
  forget(key: string): void {
    this.#limiter.forget(key);
  }

  failures(key: string): number {
    return this.#limiter.failures(key);
  }

  /** The next key, or undefined when the queue was shut down. The one who takes a key calls `done`. */
  take(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#hand();
    });
  }

  done(key: string): void {
    const started = this.#processing.get(key);
    if (started === undefined) return;
    this.#processing.delete(key);
    this.#metrics.workDuration.observe(this.#labels, (this.#runtime.clock.now() - started) / 1_000);
    const again = this.#dirty.get(key);
    if (!again || this.#closed) return;
    this.#waiting[again.priority].add(key);
    this.#hand();
  }

  /** No more adds, and every taker is sent home; what is being worked on is finished by its worker. */
  shutDown(): void {
    this.#closed = true;
    this.#timer?.cancel.abort();
    for (const taker of this.#takers.splice(0)) taker(undefined);
    this.#metrics.queueProbes.delete(this.#labels.name);
  }

  #hand(): void {
    while (this.#takers.length > 0 && this.depth > 0) {
      const lane = this.#waiting.user.size > 0 ? this.#waiting.user : this.#waiting.background;
      const key = lane.values().next().value;
      if (key === undefined) break;
      lane.delete(key);
      this.#begin(key);
      this.#takers.shift()?.(key);
    }
    this.#metrics.queueDepth.set(this.#labels, this.depth);
  }

  #begin(key: string): void {
    const now = this.#runtime.clock.now();
    const since = this.#dirty.get(key)?.since ?? now;
    this.#dirty.delete(key);
    this.#processing.set(key, now);
    this.#metrics.queueDuration.observe(this.#labels, (now - since) / 1_000);
  }

  /** One timer for all delayed keys, set to the earliest. */
  #arm(): void {
    this.#dropOutdated();
    const next = this.#heap.peek();
    if (!next || this.#closed || (this.#timer && this.#timer.at <= next.at)) return;
    this.#timer?.cancel.abort();
    const timer = { at: next.at, cancel: new AbortController() };
    this.#timer = timer;
    this.#runtime.clock.sleep(next.at - this.#runtime.clock.now(), timer.cancel.signal).then(
      () => this.#fire(),
      () => undefined,
    );
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#runtime.clock.now();
    for (let next = this.#heap.peek(); next && next.at <= now; next = this.#heap.peek()) {
      this.#heap.pop();
      const known = this.#delayed.get(next.key);
      if (known?.at !== next.at) continue;
      this.#delayed.delete(next.key);
      this.add(next.key, known.priority);
    }
    this.#arm();
  }

  #dropOutdated(): void {
    for (let next = this.#heap.peek(); next; next = this.#heap.peek()) {
      if (this.#delayed.get(next.key)?.at === next.at) return;
      this.#heap.pop();
    }
  }

  #probe(): QueueProbe {
    const now = this.#runtime.clock.now();
    const ages = [...this.#processing.values()].map((started) => (now - started) / 1_000);
    return { unfinishedSeconds: ages.reduce((a, b) => a + b, 0), longestRunningSeconds: Math.max(0, ...ages) };
  }
}
