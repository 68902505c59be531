import type { Tx } from '../../postgres/database.ts';

/** A connected integration; `sealed` are its credentials, to be opened with the installation's key. */
export interface IntegrationRow {
  id: string;
  provider: string;
  kind: string;
  /** A webhook's target; else an address other than the provider's own, '' for none. */
  url: string;
  sealed: Buffer | null;
  /** Its access token is at its end, and a server renews it. */
  stale: boolean;
}

/** Real seconds before its end at which an access token is not used any more. */
export const SPARE_SECONDS = 60;

/** A live integration of the workspace. */
export function readIntegration(tx: Tx, workspaceId: string, id: string): Promise<IntegrationRow | undefined> {
  return tx.row<IntegrationRow>(
    `select id, provider, kind, url, sealed,
       coalesce(token_expires_at < clock_timestamp() + interval '${SPARE_SECONDS} seconds', false) as stale
     from integration
     where id = $1 and workspace_id = $2 and deleted_at is null`,
    [id, workspaceId],
  );
}

/** What a delivery did to an integration's health; null: it went through. */
export async function noteDelivery(
  tx: Tx,
  id: string,
  failure: { error: string; needsAuth: boolean } | null,
  now: number,
): Promise<void> {
  await tx.exec('select app.note_delivery($1, $2, $3, $4)', [
    id,
    failure?.error ?? null,
    failure?.needsAuth ?? false,
    now,
  ]);
}

/** An integration with its sealed credentials; null: it keeps what it has. */
export interface StoredIntegration {
  id: string;
  workspaceId: string;
  provider: string;
  kind: string;
  name: string | null;
  url: string;
  sealed: Buffer;
  twoWay: boolean | null;
  fieldMapping: object | null;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** Connects an integration, or gives one that is there other credentials. @returns false when it was disconnected */
export async function keepIntegration(tx: Tx, integration: StoredIntegration): Promise<boolean> {
  const kept = await tx.exec(
    `insert into integration (id, workspace_id, provider, kind, name, url, sealed, created_at, two_way, field_mapping)
     values ($1, $2, $3, $4, coalesce($5, ''), $6, $7, $8, coalesce($9, false), coalesce($10, '{}'::jsonb))
     on conflict (id) do update set
       provider = excluded.provider,
       name = coalesce($5, integration.name),
       url = excluded.url,
       sealed = excluded.sealed,
       two_way = coalesce($9, integration.two_way),
       field_mapping = coalesce($10, integration.field_mapping),
       token_expires_at = null,
       status = 'connected',
       failures_in_row = 0,
       last_error = null,
       hold_until = null,
       paused_at = null
       where integration.deleted_at is null`,
    [
      integration.id,
      integration.workspaceId,
      integration.provider,
      integration.kind,
      integration.name,
      integration.url,
      integration.sealed,
      integration.now,
      integration.twoWay,
      integration.fieldMapping === null ? null : JSON.stringify(integration.fieldMapping),
    ],
  );
  return kept > 0;
}

/** What people call an integration; undefined: it is not there. */
export function integrationName(tx: Tx, id: string): Promise<{ name: string } | undefined> {
  return tx.row<{ name: string }>('select name from integration where id = $1 and deleted_at is null', [id]);
}

/**
 * Makes an integration that of an account whose vendor lets us in, also where it was opened otherwise before, or was disconnected.
 * @returns false where it is of another workspace
 */
export async function takeIntegration(
  tx: Tx,
  integration: Pick<StoredIntegration, 'id' | 'workspaceId' | 'provider' | 'kind' | 'now'> & { name: string },
): Promise<boolean> {
  const { id, workspaceId, provider, kind, name, now } = integration;
  const taken = await tx.exec(
    `insert into integration (id, workspace_id, provider, kind, name, status, created_at)
     values ($1, $2, $3, $4, $5, 'needs_auth', $6)
     on conflict (id) do update set
       provider = excluded.provider,
       kind = excluded.kind,
       name = case when integration.name = '' then excluded.name else integration.name end,
       deleted_at = null
       where integration.workspace_id = excluded.workspace_id`,
    [id, workspaceId, provider, kind, name, now],
  );
  return taken > 0;
}

/** Forgets address and credentials. @param now epoch ms UTC, product time */
export async function endIntegration(tx: Tx, id: string, now: number): Promise<void> {
  await tx.exec(`update integration set deleted_at = $2, sealed = null, url = '' where id = $1`, [id, now]);
  await tx.exec('update provider_list set keep_in_sync = false where integration_id = $1 and keep_in_sync', [id]);
}

/**
 * Keeps an integration whose vendor was not asked yet: it waits for credentials, and one that is connected stays so.
 * @returns its status; undefined when it was disconnected
 */
export async function keepUnconnected(
  tx: Tx,
  integration: Omit<StoredIntegration, 'url' | 'sealed'>,
): Promise<string | undefined> {
  const { id, workspaceId, provider, kind, name, now, twoWay, fieldMapping } = integration;
  const row = await tx.row<{ status: string }>(
    `insert into integration (id, workspace_id, provider, kind, name, status, created_at, two_way, field_mapping)
     values ($1, $2, $3, $4, coalesce($5, ''), 'needs_auth', $6, coalesce($7, false), coalesce($8, '{}'::jsonb))
     on conflict (id) do update set
       name = coalesce($5, integration.name),
       two_way = coalesce($7, integration.two_way),
       field_mapping = coalesce($8, integration.field_mapping)
       where integration.deleted_at is null
     returning status`,
    [id, workspaceId, provider, kind, name, now, twoWay, fieldMapping === null ? null : JSON.stringify(fieldMapping)],
  );
  return row?.status;
}
