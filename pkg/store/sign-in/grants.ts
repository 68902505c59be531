import { randomBytes } from 'node:crypto';
import type { Tx } from '../../postgres/database.ts';
import { hashToken } from '../tenancy/invitations.ts';
import type { Consent } from './codes.ts';
import { ACCESS_SECONDS, grantPrefix, newAccessToken, newRefreshToken, PREFIX_LENGTH, REFRESH_DAYS } from './tokens.ts';

/** What a client gets. */
export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  scopes: readonly string[];
}

/** Access tokens of a grant that are good at once: of clients that renew in two places. */
const MOST_ACCESS = 5;
/** Renewals of a grant in a minute. */
const MOST_RENEWALS = 30;
/** Refresh tokens that a grant had and that would still be known as copies: those of three weeks of steady use. */
const MOST_KNOWN = 1_000;
/** Seconds in which a renewal whose answer was lost may be made again. */
const LOST_ANSWER_SECONDS = 60;

/** Live grants of a user, whose row it locks until the transaction ends: those that are made at once count each other. */
export async function countLiveGrants(tx: Tx, userId: string): Promise<number> {
  await tx.row('select 1 from app_user where id = $1 for no key update', [userId]);
  const row = await tx.row<{ live: number }>(
    `select count(*)::int as live from api_key where user_id = $1 and client_id is not null and revoked_at is null`,
    [userId],
  );
  return row?.live ?? 0;
}

/**
 * Makes the grant that a person allowed: a user key that opens the chosen workspaces, and its first tokens.
 * Needs a platform transaction. @param by `id` of the new key; `now` product time, epoch ms
 */
export async function makeGrant(tx: Tx, consent: Consent, by: { id: string; now: number }): Promise<TokenPair> {
  const prefix = grantPrefix();
  await tx.exec(
    `insert into api_key (
       id, key_hash, key_type, workspace_id, user_id, name, key_prefix, scopes, created_by, created_at,
       only_workspaces, client_id, may_reach
     )
     values ($1, $2, 'user', null, $3, $4, $5, $6, $3, $7, $8, $9, $10)`,
    [
      by.id,
      // No plaintext has it: a grant opens by its tokens alone.
      randomBytes(32),
      consent.userId,
      consent.clientName,
      prefix,
      consent.scopes,
      by.now,
      consent.workspaces,
      consent.clientId,
      consent.mayReach,
    ],
  );
  return giveTokens(tx, { keyId: by.id, prefix, scopes: consent.scopes, narrowed: null, follows: null });
}

/** A refresh token that was shown, with its grant. */
export interface ShownRefresh {
  keyId: string;
  userId: string;
  clientId: string;
  /** By which people know the grant's tokens. */
  prefix: string;
  scopes: string[];
  /** Whether it may be renewed now. */
  open: boolean;
  /** Whether it was renewed before, and this is no lost answer: somebody has a copy. */
  reused: boolean;
  /** Whether its user is still a member of a workspace of the grant. */
  member: boolean;
  /** Whether its grant was renewed more often in the last minute than any client needs. */
  hasty: boolean;
}

/**
 * Looks a refresh token up and locks it; undefined: unknown, or its grant is revoked. Needs a platform transaction.
 * It is judged by a second statement: one that waits for a lock reads the locked rows again, but what its subqueries see is of before
 * the wait, so that the second of two renewals at once would look like a copy.
 */
export async function findRefresh(tx: Tx, token: string): Promise<ShownRefresh | undefined> {
  const hash = hashToken(token);
  // First the grant: two tokens of it that are renewed at once queue, too.
  await tx.row(
    `select 1
     from api_key k
     where k.id = (select key_id from sign_in_token where token_hash = $1 and kind = 'refresh')
     for update`,
    [hash],
  );
  return tx.row<ShownRefresh>(
    `select
       t.key_id as "keyId", k.user_id as "userId", k.client_id as "clientId", k.key_prefix as prefix, k.scopes,
       t.expires_at > clock_timestamp() as open,
       t.used_at is not null
         and (
           t.used_at < clock_timestamp() - make_interval(secs => $2)
           or not exists (select 1 from sign_in_token n where n.follows = t.token_hash)
           or exists (select 1 from sign_in_token n where n.follows = t.token_hash and n.used_at is not null)
         ) as reused,
       exists (
         select 1
         from member m
         join workspace w on w.id = m.workspace_id
         where m.user_id = k.user_id
           and w.deleted_at is null
           and (k.only_workspaces is null or m.workspace_id = any (k.only_workspaces))
       ) as member,
       (
         select count(*) >= $3
         from sign_in_token n
         where n.key_id = t.key_id and n.kind = 'refresh' and n.made_at > clock_timestamp() - interval '1 minute'
       ) as hasty
     from sign_in_token t
     join api_key k on k.id = t.key_id
     where t.token_hash = $1 and t.kind = 'refresh' and k.revoked_at is null and k.client_id is not null
     for update of t, k`,
    [hash, LOST_ANSWER_SECONDS, MOST_RENEWALS],
  );
}

/**
 * Gives new tokens in place of a refresh token. An answer that got lost and one of two that were asked for at once look alike, and a
 * client keeps either: both are good until one of them is renewed, from when on the other counts as a copy.
 * @param narrowed fewer scopes, for the access token alone; null: all of the grant
 */
export async function renewTokens(
  tx: Tx,
  token: string,
  { keyId, prefix, scopes }: ShownRefresh,
  narrowed: readonly string[] | null,
): Promise<TokenPair> {
  const hash = hashToken(token);
  await tx.exec(
    `update sign_in_token o
     set used_at = to_timestamp(0), follows = null
     from sign_in_token t
     where t.token_hash = $1
       and o.key_id = t.key_id
       and o.kind = 'refresh'
       and o.follows = t.follows
       and o.token_hash <> t.token_hash
       and o.used_at is null`,
    [hash],
  );
  await tx.exec('update sign_in_token set used_at = clock_timestamp() where token_hash = $1', [hash]);
  await tx.exec(
    `delete from sign_in_token
     where token_hash in (
       select token_hash from sign_in_token
       where key_id = $1 and kind = 'refresh' and used_at is not null
       order by made_at desc offset $2
     )`,
    [keyId, MOST_KNOWN],
  );
  return giveTokens(tx, { keyId, prefix, scopes, narrowed, follows: hash });
}

/** Ends a grant: it opens nothing from the next call on. @param now product time, epoch ms */
export async function endGrant(tx: Tx, keyId: string, now: number): Promise<void> {
  await tx.exec(
    `update api_key set revoked_at = $2, generation = generation + 1
     where id = $1 and client_id is not null and revoked_at is null`,
    [keyId, now],
  );
}

/**
 * Ends what a client gives back (RFC 7009): with a refresh token its grant, an access token alone. Unknown ones are nothing.
 * Needs a platform transaction. @param now product time, epoch ms
 * @returns the grant; undefined where there was none of this client
 */
export async function giveBack(
  tx: Tx,
  token: string,
  clientId: string,
  now: number,
): Promise<{ keyId: string; userId: string } | undefined> {
  const found = await tx.row<{ keyId: string; userId: string; kind: string }>(
    `select t.key_id as "keyId", k.user_id as "userId", t.kind
     from sign_in_token t
     join api_key k on k.id = t.key_id
     where t.token_hash = $1 and k.client_id = $2 and k.revoked_at is null
     for update of t, k`,
    [hashToken(token), clientId],
  );
  if (!found) return undefined;
  if (found.kind === 'refresh') await endGrant(tx, found.keyId, now);
  else {
    await tx.exec('delete from sign_in_token where token_hash = $1', [hashToken(token)]);
    await tellServers(tx, found.keyId);
  }
  return found;
}

/** Forgets what has expired, and ends grants that can not be renewed any more. @param now product time, epoch ms */
export async function forgetExpired(tx: Tx, now: number): Promise<void> {
  // A code that is shown again ends its grant for a day.
  await tx.exec(`delete from sign_in_code where expires_at < clock_timestamp() - interval '1 day'`);
  await tx.exec('delete from sign_in_token where expires_at < clock_timestamp()');
  await tx.exec(
    `update api_key k set revoked_at = $1, generation = generation + 1
     where k.client_id is not null
       and k.revoked_at is null
       and not exists (
         select 1 from sign_in_token t where t.key_id = k.id and t.kind = 'refresh' and t.used_at is null
       )`,
    [now],
  );
}

/** Every server reads the grant again at its next call. */
async function tellServers(tx: Tx, keyId: string): Promise<void> {
  await tx.exec('update api_key set generation = generation + 1 where id = $1', [keyId]);
}

interface Giving {
  keyId: string;
  prefix: string;
  /** Of the grant. */
  scopes: readonly string[];
  narrowed: readonly string[] | null;
  follows: Buffer | null;
}

async function giveTokens(tx: Tx, { keyId, prefix, scopes, narrowed, follows }: Giving): Promise<TokenPair> {
  const accessToken = newAccessToken(prefix.slice(0, PREFIX_LENGTH));
  const refreshToken = newRefreshToken();
  await tx.exec(
    `insert into sign_in_token (token_hash, key_id, kind, scopes, expires_at, follows)
     values
       ($1, $3, 'access', $4, clock_timestamp() + make_interval(secs => $5), $7),
       ($2, $3, 'refresh', null, clock_timestamp() + make_interval(days => $6), $7)`,
    [hashToken(accessToken), hashToken(refreshToken), keyId, narrowed, ACCESS_SECONDS, REFRESH_DAYS, follows],
  );
  const ended = await tx.exec(
    `delete from sign_in_token
     where key_id = $1
       and kind = 'access'
       and token_hash not in (
         select token_hash from sign_in_token
         where key_id = $1 and kind = 'access' and expires_at > clock_timestamp()
         order by made_at desc limit $2
       )`,
    [keyId, MOST_ACCESS],
  );
  if (ended > 0) await tellServers(tx, keyId);
  return { accessToken, refreshToken, scopes: narrowed ?? scopes };
}
