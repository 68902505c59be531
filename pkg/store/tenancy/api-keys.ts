import { createHash, randomBytes } from 'node:crypto';
import type { MemberRole } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';

export interface NewApiKey {
  id: string;
  keyType: 'user' | 'workspace';
  userId: string | null;
  workspaceId: string | null;
  name: string;
  scopes: readonly string[];
  createdBy: string;
  /** Of a user key: the only workspaces that it opens, of those of its user. Default: all. */
  onlyWorkspaces?: readonly string[];
  /** Epoch ms UTC, product time. */
  now: number;
}

/** SHA-256 of a key's plaintext; the only form that is stored. Source: specification, API key. */
export function hashKey(plaintext: string): Buffer {
  return createHash('sha256').update(plaintext).digest();
}

/** Makes a key: prefix `csu_` (user) or `cs_` (workspace) and 32 hex characters. The plaintext is returned here only. */
export async function createApiKey(
  tx: Tx,
  key: NewApiKey,
): Promise<{ apiKeyId: string; plaintext: string; keyPrefix: string }> {
  const plaintext = newPlaintext(key.keyType);
  await registerApiKey(tx, plaintext, key);
  return { apiKeyId: key.id, plaintext, keyPrefix: keyPrefixOf(plaintext, key.keyType) };
}

/**
 * Live keys of a user, or of a workspace, whose row it locks until the transaction ends: keys that are made at once count each other.
 * Grants of sign-in have a bound of their own.
 */
export async function countLiveKeys(
  tx: Tx,
  { userId, workspaceId }: Pick<NewApiKey, 'userId' | 'workspaceId'>,
): Promise<number> {
  if (workspaceId === null) await tx.row('select 1 from app_user where id = $1 for no key update', [userId]);
  else await tx.row('select 1 from workspace where id = $1 for no key update', [workspaceId]);
  const row = await tx.row<{ live: number }>(
    `select count(*)::int as live
     from api_key
     where revoked_at is null
       and client_id is null
       and ${workspaceId === null ? 'user_id = $1' : 'workspace_id = $1'}`,
    [workspaceId ?? userId],
  );
  return row?.live ?? 0;
}

function newPlaintext(keyType: NewApiKey['keyType']): string {
  return `${keyType === 'user' ? 'csu_' : 'cs_'}${randomBytes(16).toString('hex')}`;
}

/**
 * Gives a key that nobody used yet another plaintext: the answer with the first one may have been lost, and nothing else ever tells it.
 * @returns undefined when it was used, so that somebody has its plaintext
 */
export async function renewUnusedKey(
  tx: Tx,
  { id, keyType }: Pick<NewApiKey, 'id' | 'keyType'>,
): Promise<{ plaintext: string; keyPrefix: string } | undefined> {
  const plaintext = newPlaintext(keyType);
  const keyPrefix = keyPrefixOf(plaintext, keyType);
  const renewed = await tx.exec(
    `update api_key set key_hash = $2, key_prefix = $3, generation = generation + 1
     where id = $1 and key_type = $4 and revoked_at is null and last_used_at is null`,
    [id, hashKey(plaintext), keyPrefix, keyType],
  );
  return renewed > 0 ? { plaintext, keyPrefix } : undefined;
}

/** What of a key is shown to tell it from others. Source: specification, API key. */
function keyPrefixOf(plaintext: string, keyType: NewApiKey['keyType']): string {
  return plaintext.slice(0, keyType === 'user' ? 8 : 7);
}

/** Stores a key that was made elsewhere (an installation's first). @returns false when it is known already */
export async function registerApiKey(tx: Tx, plaintext: string, key: NewApiKey): Promise<boolean> {
  const made = await tx.exec(
    `insert into api_key (
       id, key_hash, key_type, workspace_id, user_id, name, key_prefix, scopes, created_by, created_at,
       only_workspaces
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (key_hash) do nothing`,
    [
      key.id,
      hashKey(plaintext),
      key.keyType,
      key.workspaceId,
      key.keyType === 'user' ? key.userId : null,
      key.name,
      keyPrefixOf(plaintext, key.keyType),
      key.scopes,
      key.createdBy,
      key.now,
      key.onlyWorkspaces ?? null,
    ],
  );
  return made === 1;
}

/** A live key with what its bearer may see. */
export interface KeyRecord {
  id: string;
  keyType: 'user' | 'workspace';
  keyPrefix: string;
  scopes: string[];
  generation: number;
  userGeneration: number | null;
  workspaceId: string | null;
  user: { id: string; name: string; email: string; platformAdmin: boolean } | null;
  workspaces: KeyWorkspace[];
  /** Of a grant of sign-in; absent: a key as people make them. */
  grant?: KeyGrant | undefined;
}

/** What differs in a grant. */
export interface KeyGrant {
  /** Whether it calls what reaches people or spends. */
  mayReach: boolean;
  /** Real ms for which the token that was shown is good. */
  endsInMs: number;
}

/** A workspace that a key may see. */
export interface KeyWorkspace {
  workspaceId: string;
  name: string;
  role: MemberRole;
  /** Scopes that the user's keys have here at most, since nothing proved the address; null: all that they carry. */
  scopeLimit: string[] | null;
  /** Epoch ms UTC, product time, from which it is erased; null: it is not marked for deletion. */
  eraseAt: number | null;
  /** The `limits` of its resource; absent fields mean the platform's. */
  limits: { readPerMinute?: number; writePerMinute?: number; llmPerMinute?: number; overallPerMinute?: number };
}

interface KeyRow {
  id: string;
  key_type: 'user' | 'workspace';
  key_prefix: string;
  scopes: string[];
  generation: number;
  workspace_id: string | null;
  user_id: string | null;
  only_workspaces: string[] | null;
  may_reach?: boolean;
  ends_in_ms?: number;
}

/**
 * Looks a key up by its hash, or a grant by that of an access token; undefined when it is unknown, expired or revoked, or its workspace
 * was deleted: it opens again once the workspace comes back. Needs a platform transaction.
 */
export async function findKey(tx: Tx, hash: Buffer): Promise<KeyRecord | undefined> {
  const key = await tx.row<KeyRow>(
    `select id, key_type, key_prefix, scopes, generation, workspace_id, user_id, only_workspaces
     from api_key k
     where key_hash = $1
       and revoked_at is null
       and not exists (select 1 from workspace w where w.id = k.workspace_id and w.deleted_at is not null)`,
    [hash],
  );
  const row = key ?? (await useAccessToken(tx, hash));
  if (!row) return undefined;
  const user = row.user_id === null ? undefined : await readUser(tx, row.user_id);
  // A grant is for work in workspaces, also one that a platform admin gave.
  const isGrant = row.may_reach !== undefined;
  return {
    id: row.id,
    keyType: row.key_type,
    keyPrefix: row.key_prefix,
    scopes: row.scopes,
    generation: row.generation,
    userGeneration: user?.generation ?? null,
    workspaceId: row.workspace_id,
    user: user
      ? { id: user.id, name: user.name, email: user.email, platformAdmin: user.platform_admin && !isGrant }
      : null,
    workspaces: await workspacesOf(tx, row),
    ...(row.may_reach === undefined ? {} : { grant: { mayReach: row.may_reach, endsInMs: row.ends_in_ms ?? 0 } }),
  };
}

/** The grant that an access token opens; that it was used tells a renewal whose answer was lost from a copy. */
async function useAccessToken(tx: Tx, hash: Buffer): Promise<KeyRow | undefined> {
  const row = await tx.row<KeyRow & { unused: boolean }>(
    `select
       k.id, k.key_type, k.key_prefix, coalesce(t.scopes, k.scopes) as scopes, k.generation, k.workspace_id, k.user_id,
       k.only_workspaces, k.may_reach, t.used_at is null as unused,
       floor(extract(epoch from t.expires_at - clock_timestamp()) * 1000)::int as ends_in_ms
     from sign_in_token t
     join api_key k on k.id = t.key_id
     where t.token_hash = $1
       and t.kind = 'access'
       and t.expires_at > clock_timestamp()
       and k.revoked_at is null
       and k.client_id is not null`,
    [hash],
  );
  if (row?.unused)
    await tx.exec('update sign_in_token set used_at = clock_timestamp() where token_hash = $1 and used_at is null', [
      hash,
    ]);
  return row;
}

interface UserRow {
  id: string;
  name: string;
  email: string;
  platform_admin: boolean;
  generation: number;
}

/**
 * As SQL: whether user key k opens no more than the key that asks, whose id is a parameter. The one who made an invitation could have
 * read the key that it gave, and is to learn of no other key of that user and to end none.
 */
export const opensNoMore = (keyId: string): string =>
  `not exists (select 1 from api_key asking where asking.id::text = ${keyId} and asking.only_workspaces is not null
     and (k.only_workspaces is null or not k.only_workspaces <@ asking.only_workspaces))`;

/** Notes that a key was used; exact to a minute. @param now epoch ms UTC, product time */
export async function touchKey(tx: Tx, id: string, now: number): Promise<void> {
  await tx.exec(
    'update api_key set last_used_at = $2::bigint where id = $1 and coalesce(last_used_at, 0) < $2::bigint - 60000',
    [id, now],
  );
}

/** A user by id. */
export async function readUser(tx: Tx, userId: string): Promise<UserRow | undefined> {
  return tx.row<UserRow>('select id, name, email, platform_admin, generation from app_user where id = $1', [userId]);
}

async function workspacesOf(tx: Tx, row: KeyRow): Promise<KeyRecord['workspaces']> {
  if (row.workspace_id !== null) {
    return tx.rows(
      `select id as "workspaceId", name, 'member' as role, null::text[] as "scopeLimit", limits,
         erase_at as "eraseAt"
       from workspace where id = $1 and deleted_at is null`,
      [row.workspace_id],
    );
  }
  return workspacesOfUser(tx, row.user_id, row.only_workspaces);
}

/** All of them: one that is left out would be refused as if its user were no member. @param only null: all */
export async function workspacesOfUser(
  tx: Tx,
  userId: string | null,
  only: readonly string[] | null = null,
): Promise<KeyWorkspace[]> {
  return tx.rows(
    `select m.workspace_id as "workspaceId", w.name, m.role, m.scope_limit as "scopeLimit", w.limits,
       w.erase_at as "eraseAt"
     from member m
     join workspace w on w.id = m.workspace_id
     where m.user_id = $1
       and w.deleted_at is null
       and ($2::text[] is null or m.workspace_id = any ($2))
     order by m.joined_at, m.workspace_id`,
    [userId, only],
  );
}

/**
 * Revokes a key of these workspaces, or of the caller's user while it opens no more than the key that asks; one that
 * was revoked keeps its time. @param by `keyId`: of the key that asks; `now`: epoch ms UTC, product time
 */
export function revokeKey(
  tx: Tx,
  id: string,
  by: { workspaces: readonly string[]; userId: string | null; keyId: string; now: number },
): Promise<{ revokedAt: number; workspaceId: string | null; keyPrefix: string } | undefined> {
  return tx.row(
    `update api_key k
     set revoked_at = coalesce(revoked_at, $2), generation = generation + 1
     where id = $1
       and (workspace_id = any ($3) or (user_id is not null and user_id::text = $4 and ${opensNoMore('$5')}))
     returning revoked_at as "revokedAt", workspace_id as "workspaceId", key_prefix as "keyPrefix"`,
    [id, by.now, by.workspaces, by.userId ?? '', by.keyId],
  );
}
