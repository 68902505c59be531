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
