import type { Tx } from '../../postgres/database.ts';

/** A connected integration; `sealed` are its credentials, to be opened with the installation's key. */
export interface IntegrationRow {
  id: string;
  provider: string;
  kind: string;
  /** A webhook's target; else an address other than the provider's own, '' for none. */
  url: string;
  sealed: Buffer | null;
}

/** A live integration of the workspace. */
export function readIntegration(tx: Tx, workspaceId: string, id: string): Promise<IntegrationRow | undefined> {
  return tx.row<IntegrationRow>(
    `select id, provider, kind, url, sealed
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

/** An integration with its sealed credentials; name null: it keeps the one that it has. */
export interface StoredIntegration {
  id: string;
  workspaceId: string;
  provider: string;
  kind: string;
  name: string | null;
  url: string;
  sealed: Buffer;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** Connects an integration, or gives one that is there other credentials. @returns false when it was disconnected */
export async function keepIntegration(tx: Tx, integration: StoredIntegration): Promise<boolean> {
  const kept = await tx.exec(
    `insert into integration (id, workspace_id, provider, kind, name, url, sealed, created_at)
     values ($1, $2, $3, $4, coalesce($5, ''), $6, $7, $8)
     on conflict (id) do update set
       name = coalesce($5, integration.name),
       url = excluded.url,
       sealed = excluded.sealed,
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
    ],
  );
  return kept > 0;
}

/** Forgets address and credentials. @param now epoch ms UTC, product time */
export async function endIntegration(tx: Tx, id: string, now: number): Promise<void> {
  await tx.exec(`update integration set deleted_at = $2, sealed = null, url = '' where id = $1`, [id, now]);
}
