import { type KubeObject, keyOf, type ObjectMeta } from './types.ts';

/** Told of every change, in order. A handler that throws is counted and never loses the event. */
export interface StoreHandler<T extends KubeObject> {
  /** `initial` for objects of the first list: they may wait behind what a person changed just now. */
  onAdd(object: T, initial: boolean): void;
  onUpdate(previous: T, object: T): void;
  /** `told`: the server said so; else it was missing in a list, or another object has its name. */
  onDelete(object: T, told: boolean): void;
  /** The periodic look at everything, from the cache. */
  onResync?(object: T): void;
}

export type Indexer<T extends KubeObject> = (object: T) => string[];

export interface StoreOptions<T extends KubeObject> {
  indexers?: Record<string, Indexer<T>>;
  /** What is kept of an object, `managedFields` excepted; the object is its to change. Default: all. */
  keep?: ((object: KubeObject) => T) | undefined;
  onHandlerError: (error: unknown, key: string) => void;
}

/** Takes a list over, page by page; one that is left without `done` changed what it saw and deleted nothing. */
export interface ListTaker {
  page(items: readonly KubeObject[]): void;
  done(): void;
}

/** What the API server was last seen to hold: frozen objects by key, with indexes. Reads are synchronous. */
export class Store<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Map<string, Set<string>>>();
  readonly #handlers: StoreHandler<T>[] = [];
  readonly #options: StoreOptions<T>;

  constructor(options: StoreOptions<T>) {
    this.#options = options;
    for (const name of Object.keys(options.indexers ?? {})) this.#indexes.set(name, new Map());
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  keys(): string[] {
    return [...this.#objects.keys()];
  }

  /** Objects for which the indexer `name` gave `value`. */
  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`no index named ${name}`);
    return [...(index.get(value) ?? [])].flatMap((key) => this.#objects.get(key) ?? []);
  }

  addHandler(handler: StoreHandler<T>): void {
    this.#handlers.push(handler);
  }

  /**
   * Takes over a list page by page, so that never all of it is in memory. After the last page: what was in none of
   * them, within `inScope`, was deleted while nobody watched.
   */
  takeOver(initial: boolean, inScope: (object: T) => boolean = () => true): ListTaker {
    const seen = new Set<string>();
    return {
      page: (items) => {
        for (const item of items) {
          seen.add(keyOf(item));
          this.upsert(item, initial);
        }
      },
      done: () => {
        for (const [key, object] of [...this.#objects]) {
          if (!seen.has(key) && inScope(object)) this.remove(key);
        }
      },
    };
  }

  /** Keeps an object. One that was recreated under the same name is a deletion and an addition, not an update. */
  upsert(raw: KubeObject, initial = false): void {
    const key = keyOf(raw);
    const previous = this.#objects.get(key);
    if (previous && previous.metadata.uid !== raw.metadata.uid) this.remove(key);
    else if (previous && previous.metadata.resourceVersion === raw.metadata.resourceVersion) return;
    const object = this.#prepare(raw);
    const known = this.#objects.get(key);
    if (known) this.#unindex(key, known);
    this.#objects.set(key, object);
    this.#index(key, object);
    this.#tell(key, (handler) => (known ? handler.onUpdate(known, object) : handler.onAdd(object, initial)));
  }

  /** Forgets an object. `last`, the state that the deletion was seen in, is what handlers are told. */
  remove(key: string, last?: KubeObject): void {
    const known = this.#objects.get(key);
    if (!known) return;
    this.#objects.delete(key);
    this.#unindex(key, known);
    const told = last !== undefined && last.metadata.uid === known.metadata.uid;
    const object = told ? this.#prepare(last) : known;
    this.#tell(key, (handler) => handler.onDelete(object, told));
  }

  /** Shows every object to the handlers again. */
  resync(): void {
    for (const [key, object] of this.#objects) this.#tell(key, (handler) => handler.onResync?.(object));
  }

  #prepare(raw: KubeObject): T {
    const { managedFields: _, ...metadata } = raw.metadata;
    const object: KubeObject = { ...raw, metadata: metadata as ObjectMeta };
    return deepFreeze(this.#options.keep ? this.#options.keep(object) : (object as T));
  }

  #tell(key: string, call: (handler: StoreHandler<T>) => void): void {
    for (const handler of this.#handlers) {
      try {
        call(handler);
      } catch (error) {
        this.#options.onHandlerError(error, key);
      }
    }
  }

  #index(key: string, object: T): void {
    for (const [name, indexer] of Object.entries(this.#options.indexers ?? {})) {
      const index = this.#indexes.get(name);
      for (const value of indexer(object)) {
        const keys = index?.get(value) ?? new Set();
        index?.set(value, keys.add(key));
      }
    }
  }

  #unindex(key: string, object: T): void {
    for (const [name, indexer] of Object.entries(this.#options.indexers ?? {})) {
      const index = this.#indexes.get(name);
      for (const value of indexer(object)) {
        const keys = index?.get(value);
        keys?.delete(key);
        if (keys?.size === 0) index?.delete(value);
      }
    }
  }
}

/** The cache hands out the object itself: a reconcile that changed it would change what everybody sees. */
function deepFreeze<V>(value: V): V {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
