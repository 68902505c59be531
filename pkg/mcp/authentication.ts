import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { ALL_SCOPES } from '../domain/scopes.ts';
import type { Database } from '../postgres/database.ts';
import { findKey, hashKey, type KeyRecord, readUser, touchKey } from '../store/api-keys.ts';
import type { Caller } from '../tools/tool-context.ts';
import { HttpError } from './errors.ts';

/** Source: specification, Authentication: cached validation takes effect within 5 s; ours at the next call. */
const CACHE_MS = 5_000;
const CACHE_MAX = 10_000;
const KEY = /^(csu_|cs_)[0-9a-f]{32}$/;

const MISSING = 'Send a valid user key (csu_…) or workspace key (cs_…) as Authorization: Bearer <API_KEY>.';
const INVALID = 'This API key is invalid or revoked. Create a new one in the settings of the user or workspace.';

/** Who calls, with the generations under which that was read. */
export interface Authenticated {
  caller: Caller;
  keyGeneration: number;
  userGeneration: number | null;
  hash: Buffer | null;
}

export interface AuthenticatorOptions {
  db: Database;
  /** Real time. */
  clock: Clock;
  /** Product time, for what a person reads of the key's use. */
  product: Clock;
  runnerSecret: string | undefined;
}

/** Turns headers into a caller; keys are cached by hash and re-read when their generation moved on. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #cache = new Map<string, { at: number; found: Authenticated }>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** @throws HttpError 401 */
  async authenticate(headers: IncomingHttpHeaders, acceptRunner: boolean): Promise<Authenticated> {
    const runner = headers['x-runner-secret'];
    if (typeof runner === 'string' && acceptRunner && this.#isRunner(runner)) return this.#internal(headers);
    const key = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (key === undefined) throw unauthorized(MISSING);
    if (!KEY.test(key)) throw unauthorized(INVALID);
    const hash = hashKey(key);
    const cached = this.#cache.get(hash.toString('base64'));
    if (cached && this.#options.clock.now() - cached.at < CACHE_MS) return cached.found;
    return this.reread(hash);
  }

  /** Reads the key again. @throws HttpError 401 when it is gone */
  async reread(hash: Buffer): Promise<Authenticated> {
    const name = hash.toString('base64');
    this.#cache.delete(name);
    const record = await this.#options.db.tx({ kind: 'platform' }, async (tx) => {
      const key = await findKey(tx, hash);
      if (key) await touchKey(tx, key.id, this.#options.product.now());
      return key;
    });
    if (!record) throw unauthorized(INVALID);
    const found: Authenticated = {
      caller: callerOf(record),
      keyGeneration: record.generation,
      userGeneration: record.userGeneration,
      hash,
    };
    if (this.#cache.size >= CACHE_MAX) this.#cache.clear();
    this.#cache.set(name, { at: this.#options.clock.now(), found });
    return found;
  }

  #isRunner(given: string): boolean {
    const secret = this.#options.runnerSecret;
    if (!secret) return false;
    const a = Buffer.from(given);
    const b = Buffer.from(secret);
    return a.length === b.length && timingSafeEqual(a, b);
  }

  /** Server-to-server: all scopes, no limits, bound to the named workspace and user. */
  async #internal(headers: IncomingHttpHeaders): Promise<Authenticated> {
    const workspaceId = String(headers['x-workspace-id'] ?? '');
    const userId = String(headers['x-user-id'] ?? '');
    const { workspace, user } = await this.#options.db.tx({ kind: 'platform' }, async (tx) => ({
      workspace: await tx.row<{ name: string }>('select name from workspace where id = $1 and deleted_at is null', [
        workspaceId,
      ]),
      user: /^[0-9a-f-]{36}$/.test(userId) ? await readUser(tx, userId) : undefined,
    }));
    if (workspaceId !== '' && !workspace) throw unauthorized('x-workspace-id names no workspace.');
    const caller: Caller = {
      keyId: 'internal',
      keyType: 'internal',
      keyPrefix: 'internal',
      scopes: new Set(ALL_SCOPES),
      user: user ? { id: user.id, name: user.name, email: user.email } : null,
      platformAdmin: true,
      workspaces: workspace ? [{ workspaceId, name: workspace.name, role: 'owner' }] : [],
    };
    return { caller, keyGeneration: 0, userGeneration: null, hash: null };
  }
}

function callerOf(record: KeyRecord): Caller {
  return {
    keyId: record.id,
    keyType: record.keyType,
    keyPrefix: record.keyPrefix,
    scopes: new Set(record.scopes),
    user: record.user ? { id: record.user.id, name: record.user.name, email: record.user.email } : null,
    platformAdmin: record.user?.platformAdmin ?? false,
    workspaces: record.workspaces,
  };
}

function unauthorized(message: string): HttpError {
  return new HttpError(401, message, { 'www-authenticate': 'Bearer' });
}
