import type { Clock } from '../base/clock.ts';
import { Connection, type KubeConfigSource } from './connection.ts';
import { isExpired, isNotFound, KubeError } from './kube-error.ts';
import { resourcePath } from './paths.ts';
import { SECRETS } from './resources.ts';
import type { KubeRuntime } from './runtime.ts';
import { type KubeRequest, Transport, type TransportOptions } from './transport.ts';
import {
  apiVersionOf,
  type KubeList,
  type KubeObject,
  type ObjectRef,
  type Resource,
  type WatchEvent,
} from './types.ts';
import { parseWatch } from './watch-stream.ts';

/** What every call may be given. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  /** Skips the rate limit and has sockets of its own; for Lease renewals. */
  urgent?: boolean;
}

export interface WriteOptions extends CallOptions {
  fieldManager: string;
  /** Writes through this subresource, usually `status`. */
  subresource?: string;
  dryRun?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  /** Take fields from other managers; without it a conflict is a KubeError that `fieldConflicts` explains. */
  force: boolean;
}

export interface ListOptions extends CallOptions {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** Only `metadata` of each object: an eighth of the memory at a hundred thousand objects. */
  metadataOnly?: boolean;
  /** Objects per page; keeps JSON.parse from stalling the event loop past a Lease renewal. */
  pageSize?: number;
  /** More objects than this is a fault, not a slow death. */
  maxItems?: number;
}

export interface WatchOptions extends Omit<ListOptions, 'pageSize' | 'maxItems'> {
  resourceVersion: string;
  /** After this the server ends the stream. */
  timeoutSeconds: number;
}

export interface DeleteOptions extends CallOptions {
  /** Deletes only this very object (compare-and-set). */
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
}

/** One operation of a JSON Patch (RFC 6902). */
export interface JsonPatchOperation {
  op: 'add' | 'remove' | 'replace' | 'test';
  path: string;
  value?: unknown;
}

const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
/** Bookmarks come about once a minute; a stream silent for longer than this is a dead connection. */
const WATCH_SILENCE_MS = 150_000;

/** The Kubernetes API by resource; every call has a time-out, errors are `KubeError`. */
export class KubeClient {
  readonly #connection: Connection;
  readonly #transport: Transport;

  constructor(connection: Connection, runtime: KubeRuntime, options: TransportOptions = {}) {
    this.#connection = connection;
    this.#transport = new Transport(connection, runtime, options);
  }

  /** @throws UserError when the kubeconfig cannot be used */
  static open(source: KubeConfigSource, runtime: KubeRuntime, options: TransportOptions = {}): KubeClient {
    const clock: Clock = runtime.clock;
    return new KubeClient(Connection.open(source, clock), runtime, options);
  }

  /** Base URL of the API server. */
  get server(): string {
    return this.#connection.server;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** @throws KubeError 404 when there is no such object */
  async get<T extends KubeObject>(resource: Resource, ref: ObjectRef, options: CallOptions = {}): Promise<T> {
    return (await this.#json(
      resource,
      { method: 'GET', verb: 'get', path: resourcePath(resource, ref) },
      options,
    )) as T;
  }

  /** Like `get`, undefined when there is no such object. */
  async find<T extends KubeObject>(
    resource: Resource,
    ref: ObjectRef,
    options: CallOptions = {},
  ): Promise<T | undefined> {
    try {
      return await this.get<T>(resource, ref, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** All objects, read page by page. A continue token that expired meanwhile starts the list over, once. */
  async list<T extends KubeObject>(resource: Resource, options: ListOptions = {}): Promise<KubeList<T>> {
    let list: KubeList<T> = { items: [], resourceVersion: '' };
    for await (const { first, items, resourceVersion } of this.pages<T>(resource, options)) {
      list = { items: first ? items : list.items, resourceVersion };
      if (!first) for (const item of items) list.items.push(item);
    }
    return list;
  }

  /**
   * All objects, a page at a time: the one who keeps little of a page never has more than one in memory. A continue token
   * that expired meanwhile starts over, once: then `first` comes a second time, and what came before counts no more.
   */
  async *pages<T extends KubeObject>(resource: Resource, options: ListOptions = {}): AsyncGenerator<KubePage<T>> {
    try {
      yield* this.#pages<T>(resource, options);
    } catch (error) {
      if (!isExpired(error)) throw error;
      yield* this.#pages<T>(resource, options);
    }
  }

  async create<T extends KubeObject>(resource: Resource, object: T, options: WriteOptions): Promise<T> {
    const path = resourcePath(resource, { namespace: object.metadata.namespace });
    const query = { ...writeQuery(options), fieldValidation: 'Strict' };
    return (await this.#json(resource, { method: 'POST', verb: 'create', path, query, body: object }, options)) as T;
  }

  /** Replaces the object; with `metadata.resourceVersion` it is optimistic (409 when someone wrote since). */
  async update<T extends KubeObject>(resource: Resource, object: T, options: WriteOptions): Promise<T> {
    const path = resourcePath(resource, object.metadata, options.subresource);
    const query = { ...writeQuery(options), fieldValidation: 'Strict' };
    return (await this.#json(resource, { method: 'PUT', verb: 'update', path, query, body: object }, options)) as T;
  }

  /**
   * Server-side apply. Send the whole set of fields that the manager owns each time: an owned field that is left
   * out is removed. `metadata.resourceVersion`, if given, makes it optimistic.
   */
  async apply<T extends KubeObject>(resource: Resource, object: T, options: ApplyOptions): Promise<T> {
    const { managedFields: _, ...metadata } = object.metadata;
    const query = { ...writeQuery(options), force: options.force, fieldValidation: 'Strict' };
    const body = { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
    const path = resourcePath(resource, metadata, options.subresource);
    const contentType = 'application/apply-patch+yaml';
    const spec = { method: 'PATCH', verb: 'apply', path, query, body, contentType } as const;
    return (await this.#json(resource, spec, options)) as T;
  }

  /** JSON merge patch (RFC 7386): null removes, lists are replaced whole. */
  async mergePatch<T extends KubeObject>(
    resource: Resource,
    ref: ObjectRef,
    patch: object,
    options: WriteOptions,
  ): Promise<T> {
    return this.#patch<T>(resource, ref, patch, 'application/merge-patch+json', options);
  }

  /** JSON patch (RFC 6902); a failed `test` is a KubeError 422. */
  async jsonPatch<T extends KubeObject>(
    resource: Resource,
    ref: ObjectRef,
    patch: JsonPatchOperation[],
    options: WriteOptions,
  ): Promise<T> {
    return this.#patch<T>(resource, ref, patch, 'application/json-patch+json', options);
  }

  /** Deletes the object. False when it was gone already; KubeError 409 when a precondition does not hold. */
  async delete(resource: Resource, ref: ObjectRef, options: DeleteOptions = {}): Promise<boolean> {
    const { uid, resourceVersion, gracePeriodSeconds, propagationPolicy } = options;
    const preconditions = uid || resourceVersion ? { uid, resourceVersion } : undefined;
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions, gracePeriodSeconds, propagationPolicy };
    try {
      const path = resourcePath(resource, ref);
      await this.#json(resource, { method: 'DELETE', verb: 'delete', path, body }, options);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /**
   * Events since `resourceVersion`, until the server ends the stream (returns) or something is wrong (throws
   * KubeError or WatchParseError). Bookmarks are asked for and handed on.
   */
  async *watch<T extends KubeObject>(resource: Resource, options: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    const body = await this.#transport.stream({
      method: 'GET',
      verb: 'watch',
      path: resourcePath(resource, { namespace: options.namespace }),
      query: { ...watchQuery(options) },
      accept: options.metadataOnly ? METADATA : 'application/json',
      timeoutMs: options.timeoutMs ?? WATCH_SILENCE_MS,
      retries: 0,
      sensitive: isSensitive(resource),
      signal: options.signal,
    });
    try {
      for await (const event of parseWatch<T>(body))
        yield { type: event.type, object: complete(resource, event.object) };
    } finally {
      body.destroy();
    }
  }

  /** Any other path of the server, for example `/version` or a token review. */
  raw(spec: KubeRequest): Promise<unknown> {
    return this.#transport.json(spec);
  }

  async *#pages<T extends KubeObject>(resource: Resource, options: ListOptions): AsyncGenerator<KubePage<T>> {
    let count = 0;
    let token: string | undefined;
    for (let first = true; first || token; first = false) {
      const page: ListPage<T> = await this.#page<T>(resource, options, token);
      const items = (page.items ?? []).map((item) => complete(resource, item));
      count += items.length;
      token = page.metadata?.continue;
      if (token && count > (options.maxItems ?? 500_000))
        throw new KubeError(0, 'TooManyItems', `too many ${resource.plural}`);
      yield { first, items, resourceVersion: page.metadata?.resourceVersion ?? '' };
    }
  }

  async #page<T extends KubeObject>(resource: Resource, options: ListOptions, token?: string): Promise<ListPage<T>> {
    const { namespace, labelSelector, fieldSelector, pageSize = 500 } = options;
    return (await this.#json(
      resource,
      {
        method: 'GET',
        verb: 'list',
        path: resourcePath(resource, { namespace }),
        query: { labelSelector, fieldSelector, limit: pageSize, continue: token },
        accept: options.metadataOnly ? METADATA_LIST : 'application/json',
      },
      options,
    )) as ListPage<T>;
  }

  async #patch<T>(
    resource: Resource,
    ref: ObjectRef,
    body: object,
    contentType: string,
    options: WriteOptions,
  ): Promise<T> {
    const path = resourcePath(resource, ref, options.subresource);
    const query = { ...writeQuery(options), fieldValidation: 'Strict' };
    return (await this.#json(
      resource,
      { method: 'PATCH', verb: 'patch', path, query, body, contentType },
      options,
    )) as T;
  }

  #json(resource: Resource, spec: KubeRequest, options: CallOptions): Promise<unknown> {
    return this.#transport.json({
      ...spec,
      sensitive: isSensitive(resource),
      signal: options.signal,
      ...(options.timeoutMs ? { timeoutMs: options.timeoutMs } : {}),
      ...(options.urgent ? { lane: 'reserved', retries: 0 } : {}),
    });
  }
}

/** A part of a list. */
export interface KubePage<T extends KubeObject> extends KubeList<T> {
  /** The list begins here. */
  first: boolean;
}

interface ListPage<T> {
  items?: T[];
  metadata?: { resourceVersion?: string; continue?: string };
}

function writeQuery(options: WriteOptions): Record<string, string | undefined> {
  return { fieldManager: options.fieldManager, dryRun: options.dryRun ? 'All' : undefined };
}

function watchQuery(options: WatchOptions): Record<string, string | number | boolean | undefined> {
  const { labelSelector, fieldSelector, resourceVersion, timeoutSeconds } = options;
  return { watch: true, allowWatchBookmarks: true, labelSelector, fieldSelector, resourceVersion, timeoutSeconds };
}

/** Items of built-in lists, and metadata-only objects, do not say what they are. */
function complete<T extends KubeObject>(resource: Resource, object: T): T {
  if (object.kind === resource.kind) return object;
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function isSensitive(resource: Resource): boolean {
  return resource.group === SECRETS.group && resource.plural === SECRETS.plural;
}
