import type { Tx } from '../../postgres/database.ts';

/** Counts of an export so far; `errors` only the first 100. */
export interface ExportCounts {
  total: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  suppressed: number;
  errors: { row: number; field: string | null; message: string }[];
}

/** Most errors that an import keeps. */
export const MOST_ERRORS = 100;

/** Begins the record that svc_get_import_progress shows. @param now epoch ms, product time */
export async function beginExport(
  tx: Tx,
  record: { id: string; workspaceId: string; keyId: string; account: string; now: number },
): Promise<void> {
  await tx.exec(
    `insert into lead_import (id, workspace_id, kind, key_id, status, source_note, started_at)
     values ($1, $2, 'connections', $3, 'queued', $4, $5)`,
    [record.id, record.workspaceId, record.keyId, `connections of ${record.account}`, record.now],
  );
}

/** Shows how far the export is. @param end null while it goes on */
export async function keepExport(
  tx: Tx,
  importId: string,
  counts: ExportCounts,
  end: { status: 'completed' | 'failed'; at: number } | null,
): Promise<void> {
  await tx.exec(
    `update lead_import
     set
       status = $2,
       total = $3,
       created = $4,
       updated = $5,
       skipped = $6,
       failed = $7,
       suppressed = $8,
       errors = $9,
       finished_at = $10
     where id = $1`,
    [
      importId,
      end?.status ?? 'running',
      counts.total,
      counts.created,
      counts.updated,
      counts.skipped,
      counts.failed,
      counts.suppressed,
      JSON.stringify(counts.errors.slice(0, MOST_ERRORS)),
      end?.at ?? null,
    ],
  );
}

/** Whether the list that an export fills is still there. */
export async function exportListLives(tx: Tx, leadListId: string): Promise<boolean> {
  return (await tx.row('select 1 from lead_list where id = $1 and deleted_at is null', [leadListId])) !== undefined;
}

/** The list that the last export of this account filled, while it is there. */
export async function lastExportList(tx: Tx, workspaceId: string, accountId: string): Promise<string | undefined> {
  const row = await tx.row<{ id: string }>(
    `select l.id
     from background_job j
     join lead_list l on l.id = (j.work ->> 'leadListId')::uuid
     where j.workspace_id = $1
       and j.account_id = $2
       and j.kind = 'connections_export'
       and l.deleted_at is null
       and l.type = 'static'
     order by j.created_at desc limit 1`,
    [workspaceId, accountId],
  );
  return row?.id;
}

/** What is known of the size of an account's network. */
export interface NetworkSize {
  /** Connections that account sync saw; null: it has not looked. */
  seen: number | null;
  /** There are more than it saw: it reads only the newest. */
  cut: boolean;
  /** What the last export that came to the end found. */
  exported: number | null;
  /** How many of them the workspace has as leads. */
  known: number;
}

/** How large the account's network is, as far as anybody has seen. */
export async function networkSize(tx: Tx, workspaceId: string, accountId: string): Promise<NetworkSize> {
  const row = await tx.row<NetworkSize>(
    `select
       (w.sync_state ->> 'connections')::int as seen,
       coalesce((w.sync_state ->> 'connectionsCut')::boolean, false) as cut,
       (
         select (j.work ->> 'total')::int
         from background_job j
         where j.workspace_id = $1
           and j.account_id = $2
           and j.kind = 'connections_export'
           and j.status = 'completed'
           and j.work ->> 'cursor' is null
         order by j.created_at desc limit 1
       ) as exported,
       (
         select count(*)::int
         from relation r
         where r.account_id = $2
           and r.state = 'connected'
           and exists (select 1 from lead l where l.person_id = r.person_id and l.workspace_id = $1)
       ) as known
     from (select 1) one
     left join account_wake w on w.account_id = $2`,
    [workspaceId, accountId],
  );
  return row ?? { seen: null, cut: false, exported: null, known: 0 };
}

/** The account as an export needs it, while it is linked to the workspace. */
export function exportAccount(
  tx: Tx,
  workspaceId: string,
  accountId: string,
): Promise<{ id: string; provider: string; externalId: string; status: string } | undefined> {
  return tx.row(
    `select a.id, a.provider, a.external_id as "externalId", a.status
     from network_account a
     join account_link l on l.account_id = a.id
     where a.id = $2 and l.workspace_id = $1`,
    [workspaceId, accountId],
  );
}
