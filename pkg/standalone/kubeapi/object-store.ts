import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { applyDefaults, prune } from './schema.ts';
import { ApiError } from './status.ts';
import type { Kind, Schema, Stored } from './types.ts';

/** One change, as watchers see it. */
export interface Change {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  key: string;
  object: Stored;
  /** State before the change, for selectors that it leaves. */
  before: Stored | undefined;
  version: number;
}

/** Changes kept for watches that resume; older resource versions are answered with 410. */
const HISTORY = 5_000;

/** Bytes of an object: what etcd takes, so that nothing works here only. */
const MAX_OBJECT = 1.5 * 1_024 * 1_024;

/** Identity of a kind in the store; the two groups of Events share theirs. */
export function kindKey(kind: Pick<Kind, 'group' | 'plural'>): string {
  return kind.group === '' && kind.plural === 'events' ? 'events.k8s.io/events' : `${kind.group}/${kind.plural}`;
}

/**
 * All objects: truth in Postgres (committed before a write is answered), a copy in memory to read from, and the last
 * changes for watches. One server writes; its version numbers rise over restarts.
 */
export class ObjectStore {
  readonly #pool: pg.Pool;
  readonly #objects = new Map<string, Map<string, Stored>>();
  readonly #history: Change[] = [];
  readonly #listeners = new Set<(change: Change) => void>();
  /** What is shown of an object that was stored under an earlier schema. */
  readonly #shown = new WeakMap<Stored, { schema: Schema; object: Stored }>();
  #version = 0;
  /** Oldest version that a watch can resume from. */
  #horizon = 0;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async load(): Promise<void> {
    await this.#pool.query(`create table if not exists kube_object (
      kind text not null, namespace text not null, name text not null, version bigint not null, body jsonb not null,
      primary key (kind, namespace, name))`);
    await this.#pool.query(
      'create table if not exists kube_version (only_row boolean primary key default true, version bigint not null)',
    );
    const rows = await this.#pool.query<{ kind: string; namespace: string; name: string; body: Stored }>(
      'select kind, namespace, name, body from kube_object',
    );
    for (const row of rows.rows) this.#bucket(row.kind).set(`${row.namespace}/${row.name}`, row.body);
    const last = await this.#pool.query<{ version: string }>('select version from kube_version');
    this.#version = Number(last.rows[0]?.version ?? 0) + 1_000;
    this.#horizon = this.#version;
    await this.#pool.query(
      'insert into kube_version (version) values ($1) on conflict (only_row) do update set version = excluded.version',
      [this.#version],
    );
  }

  get version(): number {
    return this.#version;
  }

  get(kind: Kind, namespace: string, name: string): Stored | undefined {
    const found = this.#bucket(kindKey(kind)).get(`${namespace}/${name}`);
    return found && this.#asDefined(kind, found);
  }

  /** Objects of a kind ordered by namespace and name; all namespaces when it is ''. */
  list(kind: Kind, namespace: string): Stored[] {
    return this.#inOrder(kind, namespace, this.#bucket(kindKey(kind)));
  }

  /** The objects as they were at a version; undefined when that is no longer known (410). */
  listAt(kind: Kind, namespace: string, version: number): Stored[] | undefined {
    const changes = this.since(kindKey(kind), version);
    if (!changes) return undefined;
    const then = new Map(this.#bucket(kindKey(kind)));
    for (const { object, before } of changes.reverse()) {
      const at = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
      if (before) then.set(at, before);
      else then.delete(at);
    }
    return this.#inOrder(kind, namespace, then);
  }

  #inOrder(kind: Kind, namespace: string, objects: Map<string, Stored>): Stored[] {
    const prefix = namespace === '' ? '' : `${namespace}/`;
    const found = [...objects.entries()].filter(([key]) => key.startsWith(prefix));
    return found.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => this.#asDefined(kind, object));
  }

  /** As a real server reads it from etcd: without what the definition of now does not know, with its defaults. */
  #asDefined({ schema }: Kind, object: Stored): Stored {
    if (!schema) return object;
    const known = this.#shown.get(object);
    if (known?.schema === schema) return known.object;
    const formed = structuredClone(object);
    prune(formed, schema);
    applyDefaults(formed, schema);
    const shown = isDeepStrictEqual(formed, object) ? object : formed;
    this.#shown.set(object, { schema, object: shown });
    return shown;
  }

  /** Every object of every kind. */
  *all(): Generator<{ key: string; object: Stored }> {
    for (const [key, bucket] of this.#objects) for (const object of bucket.values()) yield { key, object };
  }

  /** Runs writes one after the other: what a write reads is what it changes. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#tail.then(work, work);
    this.#tail = run.catch(() => undefined);
    return run;
  }

  /** Stores an object under a new resource version; call inside `exclusive`. */
  async put(kind: Kind, object: Stored): Promise<Stored> {
    const key = kindKey(kind);
    const at = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    const before = this.#bucket(key).get(at);
    const version = this.#version + 1;
    object.metadata.resourceVersion = String(version);
    const body = JSON.stringify(object);
    if (Buffer.byteLength(body) > MAX_OBJECT)
      throw new ApiError(500, 'InternalError', 'etcdserver: request is too large');
    await this.#pool.query(
      `with v as (update kube_version set version = $5)
       insert into kube_object (kind, namespace, name, version, body) values ($1, $2, $3, $5, $4)
       on conflict (kind, namespace, name) do update set version = excluded.version, body = excluded.body`,
      [key, object.metadata.namespace ?? '', object.metadata.name, body, version],
    );
    this.#version = version;
    this.#bucket(key).set(at, object);
    this.#publish({ type: before ? 'MODIFIED' : 'ADDED', key, object, before, version });
    return object;
  }

  /** Removes an object; call inside `exclusive`. */
  async remove(kind: Kind, object: Stored): Promise<Stored> {
    const key = kindKey(kind);
    const version = this.#version + 1;
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    await this.#pool.query(
      `with v as (update kube_version set version = $4)
       delete from kube_object
       where kind = $1 and namespace = $2 and name = $3`,
      [key, object.metadata.namespace ?? '', object.metadata.name, version],
    );
    this.#version = version;
    this.#bucket(key).delete(`${object.metadata.namespace ?? ''}/${object.metadata.name}`);
    this.#publish({ type: 'DELETED', key, object: last, before: object, version });
    return last;
  }

  /** Changes of a kind after `version`; undefined when they are no longer known (410). */
  since(key: string, version: number): Change[] | undefined {
    if (version < this.#horizon || version > this.#version) return undefined;
    return this.#history.filter((change) => change.key === key && change.version > version);
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #publish(change: Change): void {
    this.#history.push(change);
    if (this.#history.length > HISTORY) this.#horizon = this.#history.shift()?.version ?? this.#horizon;
    for (const listener of this.#listeners) listener(change);
  }

  #bucket(key: string): Map<string, Stored> {
    const bucket = this.#objects.get(key) ?? new Map<string, Stored>();
    this.#objects.set(key, bucket);
    return bucket;
  }
}
