import { every } from '../../base/clock.ts';
import { HttpError } from '../../base/http/http-error.ts';
import type { Logger } from '../../base/log.ts';
import type { Database } from '../../postgres/database.ts';
import type { Caller } from '../../tools/tool-context.ts';
import { limitAllows } from '../within-roles.ts';
import { GONE, type RecordState, readStates } from './record-states.ts';

/** How long a change may go unnoticed (ms): one query per replica and round, whatever the number of listeners. */
const ROUND_MS = 1_000;

/** Somebody who listens to records on an open stream. */
export interface Listener {
  /** Set for a session, whose wishes are rows; otherwise `wishes` has them. */
  sessionHash: Buffer | null;
  /** Addresses with the version that was told last. */
  wishes: Map<string, string>;
  /** The caller with the rights of this moment. @throws HttpError when the key is gone */
  caller: () => Promise<Caller>;
  /** Tells of a change, unless another stream of the same session did. What could not be told is tried again. */
  updated: (uri: string, seen: string, version: string) => Promise<void>;
  /** The listener may not hear anything any more. */
  end: () => void;
}

/** Tells listeners which records changed. Looks at the database, so that it does not matter who changed them. */
export class ResourceWatcher {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #scopeOf: (uri: string) => string | undefined;
  readonly #listeners = new Set<Listener>();
  #stop: (() => void) | undefined;

  /** @param scopeOf the scope that reads what is at an address; undefined: everybody may */
  constructor(db: Database, log: Logger, scopeOf: (uri: string) => string | undefined) {
    this.#db = db;
    this.#log = log;
    this.#scopeOf = scopeOf;
  }

  /** Listens until the signal is aborted. */
  add(listener: Listener, ended: AbortSignal): void {
    if (ended.aborted) return;
    this.#listeners.add(listener);
    this.#stop ??= every(ROUND_MS, () => this.#round());
    ended.addEventListener('abort', () => this.#remove(listener), { once: true });
  }

  #remove(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  async #round(): Promise<void> {
    try {
      await this.#loadSubscriptions();
      const uris = new Set([...this.#listeners].flatMap((listener) => [...listener.wishes.keys()]));
      if (uris.size === 0) return;
      const states = await readStates(this.#db, uris);
      for (const listener of this.#listeners)
        await this.#tell(listener, states).catch((error: unknown) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
    }
  }

  /** The next round looks again; nothing is forgotten, since what was told is kept by version. */
  #failed(error: unknown): void {
    this.#log.warn({ err: error }, 'changes of resources could not be told');
  }

  /** What sessions wish may have been said to another replica. */
  async #loadSubscriptions(): Promise<void> {
    // Of several streams of a session the newest has its wishes.
    const sessions = new Map<string, Listener>();
    for (const listener of this.#listeners) {
      if (!listener.sessionHash) continue;
      listener.wishes.clear();
      sessions.set(listener.sessionHash.toString('base64'), listener);
    }
    if (sessions.size === 0) return;
    const hashes = [...sessions.values()].map((listener) => listener.sessionHash);
    const { rows } = await this.#db.pool.query<{ session_hash: Buffer; uri: string; seen: string }>(
      'select session_hash, uri, seen from resource_subscription where session_hash = any($1)',
      [hashes],
    );
    for (const { session_hash, uri, seen } of rows)
      sessions.get(session_hash.toString('base64'))?.wishes.set(uri, seen);
  }

  async #tell(listener: Listener, states: ReadonlyMap<string, RecordState>): Promise<void> {
    for (const [uri, seen] of listener.wishes) {
      const state = states.get(uri);
      const version = state?.version ?? GONE;
      if (version === seen || !(await this.#mayHear(listener, uri, state))) continue;
      await listener.updated(uri, seen, version);
      listener.wishes.set(uri, version);
    }
  }

  /** Rights may have gone since the wish. */
  async #mayHear(listener: Listener, uri: string, state: RecordState | undefined): Promise<boolean> {
    try {
      const caller = await listener.caller();
      const scope = this.#scopeOf(uri);
      if (scope !== undefined && !caller.scopes.has(scope)) return false;
      const own = caller.workspaces.find((one) => one.workspaceId === state?.workspaceId);
      return state === undefined || (own !== undefined && limitAllows(own, { scope: scope ?? 'none' }));
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      listener.end();
      return false;
    }
  }
}
