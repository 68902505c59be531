import type { Tx } from '../../postgres/database.ts';

/** Begins the record that svc_get_import_progress shows. @param begun `name`: of the list there; `now`: epoch ms, product time */
export async function beginListImport(
  tx: Tx,
  begun: { id: string; workspaceId: string; keyId: string; name: string; now: number },
): Promise<void> {
  await tx.exec(
    `insert into lead_import (id, workspace_id, kind, key_id, status, source_note, started_at)
     values ($1, $2, 'provider_list', $3, 'queued', $4, $5)`,
    [begun.id, begun.workspaceId, begun.keyId, `list ${begun.name}`.slice(0, 500), begun.now],
  );
}

/** Counts of an import so far; `errors`: the first ones. */
export interface ListImportCounts {
  total: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  suppressed: number;
  excluded: number;
  errors: readonly object[];
}

/** Shows how far an import is. @param end null while it goes on; `at`: epoch ms, product time */
export async function keepListImport(
  tx: Tx,
  importId: string,
  counts: ListImportCounts,
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
       excluded = $9,
       errors = $10,
       finished_at = $11
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
      counts.excluded,
      JSON.stringify(counts.errors),
      end?.at ?? null,
    ],
  );
}
