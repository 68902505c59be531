import { hash as digest, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { HttpError } from '../base/http/http-error.ts';
import { isUuid } from '../base/ids.ts';
import { ALL_SCOPES, isAdminScope } from '../domain/scopes.ts';
import type { Database } from '../postgres/database.ts';
import { findKey, type KeyRecord, type KeyWorkspace, readUser, touchKey } from '../store/tenancy/api-keys.ts';
import type { Caller } from '../tools/tool-context.ts';
import { type KeyOwner, lowerLimits, type RateLimits } from './limits.ts';
import { postgresVersion } from './postgres-limiter.ts';

/** Source: specification, Authentication: cached validation takes effect within 5 s; ours at the next call. */
const CACHE_MS = 5_000;
const CACHE_MAX = 10_000;
const KEY = /^(csu_|cs_)[0-9a-f]{32}$/;
/** An access token of a grant of sign-in. */
const TOKEN = /^cso_[0-9a-f]{4}[\w-]{43}$/;

const MISSING = 'Send a valid user key (csu_…) or workspace key (cs_…) as Authorization: Bearer <API_KEY>.';
const INVALID = 'This API key is invalid or revoked. Create a new one in the settings of the user or workspace.';

/** Who calls, with the version under which that was read. */
export interface Authenticated {
  caller: Caller;
  /** Null for internal callers, who are not limited. */
  hash: Buffer | null;
  /** What the limiter said before this was read; another answer means that it must be read again. */
  version: string;
  /** The platform's limits, lowered by the workspace of a workspace key. */
  limits: RateLimits;
  /** Whose keys share a window with this one; absent for internal callers. */
  owner?: KeyOwner | undefined;
  /** Of a user key: the workspaces whose own limits are lower, checked once the workspace of a call is known. */
  workspaceLimits: ReadonlyMap<string, RateLimits>;
}

export interface AuthenticatorOptions {
  db: Database;
  /** Real time. */
  clock: Clock;
  /** Product time, for what a person reads of the key's use. */
  product: Clock;
  runnerSecret: string | undefined;
  limits: RateLimits;
  /** How many times the limits of one key all keys of a user, or of a workspace, have together. */
  ownerTimes: number;
}

/** Turns headers into a caller; keys are cached by hash and re-read when their generation moved on. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #cache = new Map<string, { at: number; found: Authenticated }>();
  /** What came last over a connection, with its hash: a client sends the same key with each request. */
  readonly #sent = new WeakMap<Socket, { authorization: string; name: string }>();
  /** Reads under way: calls that arrive together share one. */
  readonly #reading = new Map<string, Promise<Authenticated>>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** The caller of a key that was read a moment ago; undefined for every other. */
  known({ headers, socket }: IncomingMessage): Authenticated | undefined {
    const { authorization = '' } = headers;
    // What the internal listener takes beside a key, or instead of it, is looked at elsewhere.
    if (headers['x-runner-secret'] !== undefined || !authorization.startsWith('Bearer ')) return undefined;
    let sent = this.#sent.get(socket);
    if (sent?.authorization !== authorization) {
      sent = { authorization, name: digest('sha256', authorization.slice(7), 'base64') };
      this.#sent.set(socket, sent);
    }
    const cached = this.#cache.get(sent.name);
    return cached && this.#options.clock.now() - cached.at < CACHE_MS ? cached.found : undefined;
  }

  /** @throws HttpError 401 */
  async authenticate(headers: IncomingHttpHeaders, acceptRunner: boolean): Promise<Authenticated> {
    const runner = headers['x-runner-secret'];
    if (typeof runner === 'string' && acceptRunner && this.#isRunner(runner)) return this.#internal(headers);
    const key = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (key === undefined) throw unauthorized(MISSING);
    if (!KEY.test(key) && !TOKEN.test(key)) throw wrongKey();
    const name = digest('sha256', key, 'base64');
    const cached = this.#cache.get(name);
    if (cached && this.#options.clock.now() - cached.at < CACHE_MS) return cached.found;
    // What was known under an older version is compared with the newest at the next call: too old is never wrong.
    return this.reread(Buffer.from(name, 'base64'), cached?.found.version);
  }

  /** Reads the key again, now that `version` is in force. @throws HttpError 401 when it is gone */
  async reread(hash: Buffer, version?: string): Promise<Authenticated> {
    const name = hash.toString('base64');
    const reading = `${name} ${version ?? ''}`;
    const running = this.#reading.get(reading);
    if (running) return running;
    const started = this.#read(hash, name, version).finally(() => this.#reading.delete(reading));
    this.#reading.set(reading, started);
    return started;
  }

  /** Forgets all keys: changes may have been missed. */
  forget(): void {
    this.#cache.clear();
  }

  async #read(hash: Buffer, name: string, version: string | undefined): Promise<Authenticated> {
    this.#cache.delete(name);
    const at = this.#options.clock.now();
    const record = await this.#options.db.tx({ kind: 'platform' }, async (tx) => {
      const key = await findKey(tx, hash);
      if (key) await touchKey(tx, key.id, this.#options.product.now());
      return key;
    });
    if (!record) throw wrongKey();
    const found: Authenticated = {
      caller: callerOf(record),
      hash,
      owner: ownerOf(record, this.#options.ownerTimes),
      version: version?.startsWith('r') ? version : postgresVersion(record.generation, record.userGeneration),
      ...limitsOf(record, this.#options.limits),
    };
    if (this.#cache.size >= CACHE_MAX) this.#cache.clear();
    // A token that ends sooner is remembered for less long.
    const endsInMs = record.grant?.endsInMs ?? CACHE_MS;
    this.#cache.set(name, { at: Math.min(at, at + endsInMs - CACHE_MS), found });
    return found;
  }

  #isRunner(given: string): boolean {
    const secret = this.#options.runnerSecret;
    if (!secret) return false;
    const a = Buffer.from(given);
    const b = Buffer.from(secret);
    return a.length === b.length && timingSafeEqual(a, b);
  }

  /**
   * Server-to-server: all scopes, no limits, bound to the named workspace and user. The secret alone opens nothing.
   * Source: specification, Authentication 7. @throws HttpError 401
   */
  async #internal(headers: IncomingHttpHeaders): Promise<Authenticated> {
    const workspaceId = String(headers['x-workspace-id'] ?? '');
    const userId = String(headers['x-user-id'] ?? '');
    const { workspace, user } = await this.#options.db.tx({ kind: 'platform' }, async (tx) => ({
      workspace: await tx.row<{ name: string; erase_at: number | null }>(
        'select name, erase_at from workspace where id = $1 and deleted_at is null',
        [workspaceId],
      ),
      user: isUuid(userId) ? await readUser(tx, userId) : undefined,
    }));
    if (!workspace) throw unauthorized(unnamed('x-workspace-id', 'workspace'));
    if (!user) throw unauthorized(unnamed('x-user-id', 'user'));
    const caller: Caller = {
      keyId: 'internal',
      keyType: 'internal',
      keyPrefix: 'internal',
      scopes: new Set(ALL_SCOPES),
      user: { id: user.id, name: user.name, email: user.email },
      platformAdmin: true,
      userIsPlatformAdmin: user.platform_admin,
      ...openAndEnding([
        { workspaceId, name: workspace.name, role: 'owner', scopeLimit: null, eraseAt: workspace.erase_at },
      ]),
    };
    return { caller, hash: null, version: '', limits: this.#options.limits, workspaceLimits: new Map() };
  }
}

function unnamed(header: string, what: string): string {
  return `X-Runner-Secret needs x-workspace-id and x-user-id beside it: ${header} names no ${what}.`;
}

function callerOf(record: KeyRecord): Caller {
  const platformAdmin = record.user?.platformAdmin ?? false;
  return {
    keyId: record.id,
    keyType: record.keyType,
    keyPrefix: record.keyPrefix,
    scopes: new Set(scopesOf(record)),
    user: record.user ? { id: record.user.id, name: record.user.name, email: record.user.email } : null,
    platformAdmin,
    userIsPlatformAdmin: platformAdmin,
    ...(record.grant?.mayReach === false ? { mayReach: false as const } : {}),
    ...openAndEnding(record.workspaces),
  };
}

/** One that is marked for deletion is none of a caller's, in whatever way it is asked for. */
export function openAndEnding(all: readonly Omit<KeyWorkspace, 'limits'>[]): Pick<Caller, 'workspaces' | 'ending'> {
  const open = all.filter(({ eraseAt }) => eraseAt === null);
  const ending = all.flatMap(({ workspaceId, eraseAt }) => (eraseAt === null ? [] : [{ workspaceId, eraseAt }]));
  return {
    workspaces: open.map(({ workspaceId, name, role, scopeLimit }) => ({
      workspaceId,
      name,
      role,
      ...(scopeLimit ? { scopeLimit } : {}),
    })),
    ...(ending.length > 0 ? { ending } : {}),
  };
}

function ownerOf({ keyType, workspaceId, user }: KeyRecord, times: number): KeyOwner {
  return { id: keyType === 'workspace' ? `workspace:${workspaceId}` : `user:${user?.id}`, times };
}

/** Only a key of a platform admin has the platform's scopes: neither a workspace key nor one of a user who is an admin no more. */
function scopesOf({ keyType, scopes, user }: KeyRecord): string[] {
  return keyType === 'workspace' || !user?.platformAdmin ? scopes.filter((scope) => !isAdminScope(scope)) : scopes;
}

/** A workspace lowers what its keys may do; it never raises it. Source: specification, Limits; Workspace `limits`. */
export function limitsOf(
  record: Pick<KeyRecord, 'keyType' | 'workspaces'>,
  platform: RateLimits,
): Pick<Authenticated, 'limits' | 'workspaceLimits'> {
  const lowered = ({ limits }: KeyWorkspace): RateLimits =>
    lowerLimits(platform, {
      read: limits.readPerMinute,
      write: limits.writePerMinute,
      llm: limits.llmPerMinute,
      overall: limits.overallPerMinute,
    });
  const [own] = record.workspaces;
  if (record.keyType === 'workspace') return { limits: own ? lowered(own) : platform, workspaceLimits: new Map() };
  const lower = record.workspaces
    .map((entry) => [entry.workspaceId, lowered(entry)] as const)
    .filter(([, limits]) =>
      Object.keys(platform).some((name) => limits[name as keyof RateLimits] < platform[name as keyof RateLimits]),
    );
  return { limits: platform, workspaceLimits: new Map(lower) };
}

/** The header says what clients would else take for a wish to sign in. Source: RFC 6750, 3.1. */
function wrongKey(): HttpError {
  const said = `Bearer error="invalid_token", error_description="${INVALID}"`;
  return new HttpError(401, INVALID, { 'www-authenticate': said });
}

function unauthorized(message: string): HttpError {
  return new HttpError(401, message, { 'www-authenticate': 'Bearer' });
}
