import type { ServerResponse } from 'node:http';
import { type Clock, every } from '../../base/clock.ts';
import { type Change, kindKey, type ObjectStore } from './object-store.ts';
import type { Matcher } from './selectors.ts';
import { expired } from './status.ts';
import { partialOf, tableOf } from './table.ts';
import type { Kind, Stored } from './types.ts';

/** How objects are shown: whole, as metadata only, or as table rows. */
export type View = 'object' | 'partial' | 'table';

export interface WatchRequest {
  kind: Kind;
  namespace: string;
  matches: Matcher;
  /** '' or '0': from now (with the present state first). */
  resourceVersion: string;
  bookmarks: boolean;
  sendInitialEvents: boolean;
  timeoutSeconds: number;
  view: View;
  includeObject: string;
}

const BOOKMARK_EVERY_MS = 10_000;
/** Unsent bytes after which a reader that does not read is cut off. */
const MAX_BUFFERED = 16 * 1024 * 1024;

/** Streams changes to one client until it leaves, the time-out passes or the server stops. */
export class WatchStream {
  readonly #request: WatchRequest;
  readonly #response: ServerResponse;
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #stops: (() => void)[] = [];
  #first = true;

  constructor(request: WatchRequest, response: ServerResponse, store: ObjectStore, clock: Clock) {
    this.#request = request;
    this.#response = response;
    this.#store = store;
    this.#clock = clock;
  }

  /** A version that is no longer known is answered with an error in the stream, as a real server does. */
  start(): void {
    const { resourceVersion, sendInitialEvents, kind } = this.#request;
    const fromNow = resourceVersion === '' || resourceVersion === '0';
    const missed = fromNow || sendInitialEvents ? [] : this.#store.since(kindKey(kind), Number(resourceVersion));
    this.#response.writeHead(200, {
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
      'cache-control': 'no-cache',
    });
    this.#response.flushHeaders();
    if (missed === undefined) {
      const old = `too old resource version: ${resourceVersion} (${this.#store.version})`;
      this.fail(expired(old).body());
      return;
    }
    if (fromNow || sendInitialEvents) for (const object of this.#present()) this.#send('ADDED', object);
    if (sendInitialEvents) this.#bookmark(true);
    for (const change of missed) this.#change(change);
    this.#stops.push(this.#store.onChange((change) => this.#change(change)));
    if (this.#request.bookmarks) this.#stops.push(every(BOOKMARK_EVERY_MS, () => this.#bookmark(false)));
    const end = new AbortController();
    this.#stops.push(() => end.abort());
    this.#clock.sleep(this.#request.timeoutSeconds * 1_000, end.signal).then(
      () => this.stop(),
      () => undefined,
    );
    this.#response.on('close', () => this.stop());
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    if (!this.#response.writableEnded) this.#response.end();
  }

  /** Sends an error event in the stream, as the server does when its history was compacted. */
  fail(status: object): void {
    this.#write({ type: 'ERROR', object: status });
    this.stop();
  }

  #present(): Stored[] {
    return this.#store.list(this.#request.kind, this.#request.namespace).filter(this.#request.matches);
  }

  #change(change: Change): void {
    const { kind, namespace, matches } = this.#request;
    if (change.key !== kindKey(kind) || (namespace !== '' && change.object.metadata.namespace !== namespace)) return;
    const now = change.type !== 'DELETED' && matches(change.object);
    const was = change.before !== undefined && matches(change.before);
    if (now) this.#send(was ? 'MODIFIED' : 'ADDED', change.object);
    else if (was)
      this.#send('DELETED', {
        ...(change.type === 'DELETED' ? change.object : (change.before ?? change.object)),
        metadata: { ...change.object.metadata },
      });
  }

  #send(type: string, object: Stored): void {
    this.#write({ type, object: this.#view(object) });
  }

  #view(object: Stored): object {
    const { view, kind, includeObject } = this.#request;
    if (view === 'partial') return partialOf(object);
    if (view === 'object') return kind.show?.(object) ?? object;
    const table = tableOf(kind, [object], this.#clock.now(), includeObject, {
      resourceVersion: object.metadata.resourceVersion,
    }) as { columnDefinitions: object[] };
    if (!this.#first) table.columnDefinitions = [];
    this.#first = false;
    return table;
  }

  #bookmark(initialEnd: boolean): void {
    const { kind, view } = this.#request;
    const metadata = {
      resourceVersion: String(this.#store.version),
      ...(initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    };
    const group = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    const object =
      view === 'table'
        ? {
            kind: 'Table',
            apiVersion: 'meta.k8s.io/v1',
            metadata,
            columnDefinitions: [],
            rows: [{ cells: [], object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } }],
          }
        : { kind: kind.kind, apiVersion: group, metadata };
    this.#write({ type: 'BOOKMARK', object });
  }

  #write(event: object): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    if (this.#response.writableLength > MAX_BUFFERED) {
      this.#response.destroy();
      return;
    }
    this.#response.write(`${JSON.stringify(event)}\n`);
  }
}
