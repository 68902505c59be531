import { createHash } from 'node:crypto';
import type { Tx } from '../../postgres/database.ts';
import { tellTime } from '../events/tell-time.ts';

/** Real seconds within which somebody comes back from the vendor. */
const STATE_SECONDS = 600;
/** Real seconds before its end at which an access token is renewed. */
const EARLY_SECONDS = 600;
/** Real seconds for which one process may renew a grant, and until it is tried again after a failure. */
const LEASE_SECONDS = 60;

const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();

/** Whose secret a grant is, as the sealer binds it. */
export const grantOwner = (integrationId: string): string => `integration-grant:${integrationId}`;

/** A way to the vendor and back. */
export interface OauthState {
  workspaceId: string;
  integrationId: string;
  keyId: string;
  /** null: a key of the workspace. */
  userId: string | null;
  /** Of PKCE, sealed. */
  sealedVerifier: Buffer;
}

/** Begins a way; ways of the integration that nobody came back from, and those that are over, are forgotten. */
export async function beginOauth(tx: Tx, state: string, way: OauthState): Promise<void> {
  await tx.exec('delete from oauth_state where integration_id = $1 or expires_at < clock_timestamp()', [
    way.integrationId,
  ]);
  await tx.exec(
    `insert into oauth_state (
       state_hash, workspace_id, integration_id, key_id, user_id, sealed_verifier, expires_at
     )
     values ($1, $2, $3, $4, $5, $6, clock_timestamp() + interval '${STATE_SECONDS} seconds')`,
    [hashOf(state), way.workspaceId, way.integrationId, way.keyId, way.userId, way.sealedVerifier],
  );
}

/** Who is on a way, for the page that asks them. */
export interface OauthTraveller {
  provider: string;
  workspaceName: string;
  /** Who asked: a user, or the name of a key. */
  by: string;
}

/**
 * The way of this state: it lives ten minutes, and only while the one who asked still may: the key is not revoked, the session not over, the user is still
 * a member, the integration is still there.
 */
const ALIVE = `s.state_hash = $1
  and s.expires_at > clock_timestamp()
  and i.deleted_at is null
  and w.deleted_at is null
  and (
    s.key_id = 'internal'
    or exists (select 1 from api_key k where k.id::text = s.key_id and k.revoked_at is null)
    or exists (
      select 1 from console_session c
      where c.id::text = s.key_id and c.ended_at is null and c.expires_at > clock_timestamp()
    )
  )
  and (
    s.user_id is null
    or exists (select 1 from member m where m.user_id::text = s.user_id and m.workspace_id = s.workspace_id)
    or exists (select 1 from app_user u where u.id::text = s.user_id and u.platform_admin)
  )`;

/** undefined: nobody is on that way (any more). */
export function oauthTraveller(tx: Tx, state: string): Promise<OauthTraveller | undefined> {
  return tx.row<OauthTraveller>(
    `select i.provider, w.name as "workspaceName",
       coalesce(nullif(u.name, ''), u.email, k.name, 'the platform') as by
     from oauth_state s
     join integration i on i.id = s.integration_id
     join workspace w on w.id = s.workspace_id
     left join app_user u on u.id::text = s.user_id
     left join api_key k on k.id::text = s.key_id
     where ${ALIVE}`,
    [hashOf(state)],
  );
}

/** Ends a way: a second request finds nothing. @returns undefined: nobody is on that way (any more) */
export function endOauth(tx: Tx, state: string): Promise<(OauthState & { provider: string }) | undefined> {
  return tx.row<OauthState & { provider: string }>(
    `delete from oauth_state s
     using integration i, workspace w
     where i.id = s.integration_id and w.id = s.workspace_id and ${ALIVE}
     returning s.workspace_id as "workspaceId", s.integration_id as "integrationId", s.key_id as "keyId",
       s.user_id as "userId", s.sealed_verifier as "sealedVerifier", i.provider`,
    [hashOf(state)],
  );
}

/** What a vendor granted. */
export interface Granted {
  integrationId: string;
  workspaceId: string;
  /** Credentials of the integration, sealed. */
  sealed: Buffer;
  /** The right to get others, sealed; null: there is none. */
  sealedGrant: Buffer | null;
  /** null: the token does not end by itself. */
  expiresInSeconds: number | null;
  /** Address of the API, as the vendor tells it; null: the one for all. None that somebody gave before: the token would go there. */
  url: string | null;
}

/** Connects an integration by what the vendor granted. @param now epoch ms, product time. @returns false when it is gone */
export async function keepGrant(tx: Tx, granted: Granted, now: number): Promise<boolean> {
  await tellTime(tx, now);
  const kept = await tx.exec(
    `update integration
     set
       sealed = $2,
       url = coalesce($3, ''),
       token_expires_at = clock_timestamp() + make_interval(secs => $4),
       status = 'connected',
       failures_in_row = 0,
       last_error = null
     where id = $1 and workspace_id = $5 and deleted_at is null`,
    [granted.integrationId, granted.sealed, granted.url, granted.expiresInSeconds, granted.workspaceId],
  );
  if (kept === 0) return false;
  if (granted.sealedGrant === null) {
    await tx.exec('delete from integration_grant where integration_id = $1', [granted.integrationId]);
    return true;
  }
  await tx.exec(
    `insert into integration_grant (integration_id, workspace_id, sealed)
     values ($1, $2, $3)
     on conflict (integration_id) do update set
       sealed = excluded.sealed,
       holder = null,
       lease_until = null,
       failures = 0`,
    [granted.integrationId, granted.workspaceId, granted.sealedGrant],
  );
  return true;
}

/** A grant under a lease. */
export interface HeldGrant {
  integrationId: string;
  workspaceId: string;
  provider: string;
  sealed: Buffer;
}

/**
 * Takes the lease of a grant whose access token ends soon. One process has it: a refresh token that was used twice is worth nothing.
 * Platform only.
 */
export function takeGrant(tx: Tx, holder: string): Promise<HeldGrant | undefined> {
  return tx.row<HeldGrant>(
    `update integration_grant g
     set holder = $1, lease_until = clock_timestamp() + interval '${LEASE_SECONDS} seconds'
     from integration i
     where g.integration_id = (
         select x.integration_id
         from integration_grant x
         join integration y on y.id = x.integration_id
         where y.deleted_at is null
           and y.status <> 'needs_auth'
           and y.token_expires_at < clock_timestamp() + interval '${EARLY_SECONDS} seconds'
           and (x.lease_until is null or x.lease_until < clock_timestamp())
           and x.sealed is not null
         order by y.token_expires_at
         limit 1
         for update of x skip locked
       )
       and i.id = g.integration_id
     returning g.integration_id as "integrationId", g.workspace_id as "workspaceId", i.provider, g.sealed`,
    [holder],
  );
}

/**
 * Takes the lease of one grant, whose access token the vendor refuses.
 * @param sealed the credentials that were refused
 * @returns undefined where another process has it, or renewed it meanwhile
 */
export function takeGrantOf(
  tx: Tx,
  holder: string,
  integrationId: string,
  sealed: Buffer,
): Promise<HeldGrant | undefined> {
  return tx.row<HeldGrant>(
    `update integration_grant g
     set holder = $1, lease_until = clock_timestamp() + interval '${LEASE_SECONDS} seconds'
     from integration i
     where i.id = g.integration_id
       and i.id = $2
       and i.sealed = $3
       and i.deleted_at is null
       and i.status <> 'needs_auth'
       and (g.lease_until is null or g.lease_until < clock_timestamp())
       and g.sealed is not null
     returning g.integration_id as "integrationId", g.workspace_id as "workspaceId", i.provider, g.sealed`,
    [holder, integrationId, sealed],
  );
}

/** What opens an integration now. @returns undefined: it is gone, or has to be allowed anew */
export async function readSealed(tx: Tx, integrationId: string): Promise<Buffer | undefined> {
  const row = await tx.row<{ sealed: Buffer | null }>(
    `select sealed from integration where id = $1 and deleted_at is null and status <> 'needs_auth'`,
    [integrationId],
  );
  return row?.sealed ?? undefined;
}

/** Keeps that a vendor refuses an access token. @returns whether it can be renewed, which a server does within a minute */
export async function tokenRefused(tx: Tx, integrationId: string, sealed: Buffer): Promise<boolean> {
  const row = await tx.row<{ renewable: boolean }>('select app.token_refused($1, $2) as renewable', [
    integrationId,
    sealed,
  ]);
  return row?.renewable === true;
}

/** Whether the lease is still the holder's, locked to the end of the transaction. */
export async function holdsGrant(tx: Tx, integrationId: string, holder: string): Promise<boolean> {
  const row = await tx.row(
    `select 1 from integration_grant
     where integration_id = $1 and holder = $2 and lease_until > clock_timestamp()
     for update`,
    [integrationId, holder],
  );
  return row !== undefined;
}

/** Leaves a grant that could not be renewed: it rests until its lease ends. */
export async function leaveGrant(tx: Tx, integrationId: string, holder: string): Promise<void> {
  await tx.exec(
    'update integration_grant set failures = failures + 1, holder = null where integration_id = $1 and holder = $2',
    [integrationId, holder],
  );
}

/** Forgets what a vendor granted, and ways to it. */
export async function forgetGrant(tx: Tx, integrationId: string): Promise<void> {
  await tx.exec('delete from integration_grant where integration_id = $1', [integrationId]);
  await tx.exec('delete from oauth_state where integration_id = $1', [integrationId]);
}
