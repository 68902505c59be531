import { messageOf } from '../base/errors.ts';
import type { KubeClient } from './client.ts';
import { isNotFound } from './kube-error.ts';
import { EVENTS } from './resources.ts';
import type { KubeRuntime } from './runtime.ts';
import { formatMicroTime } from './time.ts';
import { TokenBucket } from './token-bucket.ts';
import type { KubeObject } from './types.ts';

export interface EventNote {
  type: 'Normal' | 'Warning';
  /** CamelCase: why. */
  reason: string;
  /** CamelCase: what the controller did or tried. */
  action: string;
  /** One sentence in the past tense that names the thing; at most 1,024 bytes reach the server. */
  note: string;
}

interface Series {
  key: string;
  event: KubeObject & Record<string, unknown>;
  count: number;
  lastSeen: number;
  /** What the server was told. */
  written: number;
}

export interface EventRecorderOptions {
  client: KubeClient;
  runtime: KubeRuntime;
  /** For example `example.dev/operator`. */
  controller: string;
  /** The pod. */
  instance: string;
}

const SERIES_MS = 6 * 60_000;
const FLUSH_MS = 10_000;
const MAX_SERIES = 2_000;
const MAX_PENDING = 500;
const MAX_BUCKETS = 5_000;

/**
 * Writes Kubernetes Events (events.k8s.io/v1) in the background. Recording never fails and never waits: what
 * repeats within six minutes becomes a series of one object (client-go), and an object that talks too much (25 at
 * once, then one in five minutes) is not heard.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series = new Map<string, Series>();
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #pending = new Set<Series>();
  #flushing: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  record(regarding: KubeObject, note: EventNote): void {
    const now = this.#options.runtime.clock.now();
    const { uid = '', namespace = '', name } = regarding.metadata;
    const key = [regarding.kind, namespace, name, uid, note.type, note.reason, note.action].join('|');
    const known = this.#series.get(key);
    if (known && now - known.lastSeen <= SERIES_MS) {
      known.count++;
      known.lastSeen = now;
      // The second one makes it a series at once; later ones are told by the periodic flush.
      if (known.count === 2) this.#enqueue(known);
      return;
    }
    if (!this.#allowed(`${regarding.kind}|${namespace}|${name}`)) {
      this.#drop('rate_limited');
      return;
    }
    if (this.#series.size >= MAX_SERIES) this.#evictOldest();
    const series: Series = { key, event: this.#event(regarding, note, now), count: 1, lastSeen: now, written: 0 };
    this.#series.set(key, series);
    this.#enqueue(series);
  }

  /** Tells the server of grown series every 10 s, until aborted; then writes what is left, once. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.runtime;
    while (!signal.aborted) {
      await clock.sleep(FLUSH_MS, signal).catch(() => undefined);
      const now = clock.now();
      for (const [key, series] of this.#series) {
        if (series.count > Math.max(1, series.written)) this.#enqueue(series);
        else if (now - series.lastSeen > SERIES_MS) this.#series.delete(key);
      }
      await this.flush();
    }
  }

  /** Resolves when everything recorded so far was tried. */
  async flush(): Promise<void> {
    while (this.#flushing) await this.#flushing;
  }

  #enqueue(series: Series): void {
    if (this.#pending.size >= MAX_PENDING && !this.#pending.has(series)) {
      this.#drop('queue_full');
      return;
    }
    this.#pending.add(series);
    this.#startDrain();
  }

  #startDrain(): void {
    this.#flushing ??= this.#drain().finally(() => {
      this.#flushing = undefined;
      if (this.#pending.size > 0) this.#startDrain();
    });
  }

  async #drain(): Promise<void> {
    // The caller's tick ends first: `record` never runs a request inside a reconcile's stack.
    await Promise.resolve();
    for (const series of this.#pending) {
      this.#pending.delete(series);
      await this.#write(series).catch((error: unknown) => {
        this.#drop('error');
        this.#options.runtime.log.warn({ err: messageOf(error) }, 'an event was not written');
      });
    }
  }

  async #write(series: Series): Promise<void> {
    const { client, controller } = this.#options;
    const options = { fieldManager: controller, timeoutMs: 10_000 };
    const count = series.count;
    const state = { count, lastObservedTime: formatMicroTime(series.lastSeen) };
    if (series.written > 0) {
      try {
        await client.mergePatch(EVENTS, series.event.metadata, { series: state }, options);
        series.written = count;
        return;
      } catch (error) {
        // Events expire on the server (an hour); a series that outlived its object starts a new one.
        if (!isNotFound(error)) throw error;
      }
    }
    await client.create(EVENTS, count > 1 ? { ...series.event, series: state } : series.event, options);
    series.written = count;
  }

  #event(regarding: KubeObject, note: EventNote, now: number): KubeObject & Record<string, unknown> {
    const { controller, instance, runtime } = this.#options;
    const { name, namespace, uid, resourceVersion } = regarding.metadata;
    const suffix = runtime.ids.uuid().replaceAll('-', '').slice(-16);
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: `${name.slice(0, 230)}.${suffix}`, namespace: namespace ?? 'default' },
      eventTime: formatMicroTime(now),
      reportingController: controller,
      reportingInstance: instance.slice(0, 128),
      action: note.action.slice(0, 128),
      reason: note.reason.slice(0, 128),
      type: note.type,
      note: trimBytes(note.note, 1_024),
      regarding: { apiVersion: regarding.apiVersion, kind: regarding.kind, name, namespace, uid, resourceVersion },
    };
  }

  #allowed(object: string): boolean {
    const known = this.#buckets.get(object);
    const bucket = known ?? new TokenBucket(this.#options.runtime.clock, 1 / 300, 25);
    if (!known) {
      const oldest = this.#buckets.keys().next().value;
      if (this.#buckets.size >= MAX_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest);
      this.#buckets.set(object, bucket);
    }
    return bucket.tryTake();
  }

  #evictOldest(): void {
    const oldest = this.#series.keys().next().value;
    if (oldest !== undefined) this.#series.delete(oldest);
  }

  #drop(reason: string): void {
    this.#options.runtime.metrics.eventsDropped.inc({ reason });
  }
}

/** The server counts bytes, not characters. */
function trimBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  return `${bytes
    .subarray(0, limit - 3)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')}…`;
}
