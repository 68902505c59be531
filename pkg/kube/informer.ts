import { messageOf } from '../base/errors.ts';
import type { KubeClient } from './client.ts';
import { runListWatch } from './list-watch.ts';
import type { KubeRuntime } from './runtime.ts';
import { type Indexer, type ListTaker, Store } from './store.ts';
import { type KubeObject, keyOf, type Resource, type WatchEvent } from './types.ts';

export interface InformerOptions<T extends KubeObject> {
  client: KubeClient;
  resource: Resource;
  runtime: KubeRuntime;
  /** Watched one by one, so that rights in these suffice; absent means the whole cluster. */
  namespaces?: string[] | undefined;
  labelSelector?: string;
  fieldSelector?: string;
  metadataOnly?: boolean;
  indexers?: Record<string, Indexer<T>>;
  /** What is kept of an object; see `StoreOptions`. */
  keep?: (object: KubeObject) => T;
  /** How often everything is shown again from the cache, ± 10 % (controller-runtime: 10 h). */
  resyncMs?: number;
}

const RESYNC_MS = 10 * 3_600_000;

/** A store that follows the API server. `start` once; `synced` when every namespace was listed. */
export class Informer<T extends KubeObject> {
  readonly resource: Resource;
  readonly store: Store<T>;
  /** Resolves after the first complete list, before any later event; never rejects. */
  readonly synced: Promise<void>;
  readonly #options: InformerOptions<T>;
  readonly #pending: Set<string>;
  readonly #markSynced: () => void;
  readonly #alive: Map<string, number>;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions<T>) {
    this.resource = options.resource;
    this.#options = options;
    this.#pending = new Set(options.namespaces ?? ['']);
    const now = options.runtime.clock.now();
    this.#alive = new Map([...this.#pending].map((namespace) => [namespace, now]));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.synced = promise;
    this.#markSynced = resolve;
    const { indexers, keep } = options;
    this.store = new Store<T>({
      ...(indexers ? { indexers } : {}),
      keep,
      onHandlerError: (error, key) => this.#handlerFailed(error, key),
    });
  }

  /** Whether the first list is complete. */
  get hasSynced(): boolean {
    return this.#pending.size === 0;
  }

  /** Milliseconds since the last sign of life of the quietest watch. */
  get staleMs(): number {
    return this.#options.runtime.clock.now() - Math.min(...this.#alive.values());
  }

  /** Follows until the signal aborts. Resolves when all streams are closed; calling it again changes nothing. */
  start(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#run(signal);
    return this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { runtime, namespaces } = this.#options;
    const probes = runtime.metrics.informerProbes;
    probes.set(this.resource.plural, () => ({ staleSeconds: this.staleMs / 1_000, objects: this.store.size }));
    const scopes = namespaces ?? [''];
    await Promise.all([...scopes.map((namespace) => this.#follow(namespace, signal)), this.#resync(signal)]);
    probes.delete(this.resource.plural);
  }

  #follow(namespace: string, signal: AbortSignal): Promise<void> {
    const { client, resource, runtime, labelSelector, fieldSelector, metadataOnly = false } = this.#options;
    const scope = { namespace: namespace === '' ? undefined : namespace, labelSelector, fieldSelector, metadataOnly };
    const inScope = (object: T): boolean => namespace === '' || object.metadata.namespace === namespace;
    const sink = {
      takeOver: (): ListTaker => {
        const { page, done } = this.store.takeOver(this.#pending.has(namespace), inScope);
        return {
          page,
          done: () => {
            done();
            this.#pending.delete(namespace);
            if (this.#pending.size === 0) this.#markSynced();
          },
        };
      },
      apply: (event: WatchEvent<KubeObject>): void => this.#apply(event),
      alive: (): void => {
        this.#alive.set(namespace, runtime.clock.now());
      },
    };
    return runListWatch({ client, resource, scope, sink, runtime, signal });
  }

  #apply(event: WatchEvent<KubeObject>): void {
    if (event.type === 'DELETED') this.store.remove(keyOf(event.object), event.object);
    else this.store.upsert(event.object);
  }

  async #resync(signal: AbortSignal): Promise<void> {
    const { runtime, resyncMs = RESYNC_MS } = this.#options;
    while (!signal.aborted) {
      await runtime.clock.sleep(resyncMs * (0.9 + runtime.random() * 0.2), signal).catch(() => undefined);
      if (!signal.aborted) this.store.resync();
    }
  }

  #handlerFailed(error: unknown, key: string): void {
    const { runtime, resource } = this.#options;
    runtime.metrics.handlerErrors.inc({ resource: resource.plural });
    runtime.log.error({ resource: resource.plural, key, err: messageOf(error) }, 'event handler failed');
  }
}
