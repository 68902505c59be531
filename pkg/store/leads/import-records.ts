import type { Tx } from '../../postgres/database.ts';

/** Errors of an import that are kept. Source: catalog record Import. */
export const MOST_ERRORS = 100;

/** An import that a background job works off. */
export interface NewImport {
  /** Of the job too. */
  id: string;
  workspaceId: string;
  kind: 'connections' | 'provider_list';
  keyId: string;
  /** From where the leads come, for people. */
  sourceNote: string;
  /** Epoch ms, product time. */
  now: number;
}

/** Begins the record that svc_get_import_progress shows. */
export async function beginImport(tx: Tx, { id, workspaceId, kind, keyId, sourceNote, now }: NewImport): Promise<void> {
  await tx.exec(
    `insert into lead_import (id, workspace_id, kind, key_id, status, source_note, started_at)
     values ($1, $2, $3, $4, 'queued', $5, $6)`,
    [id, workspaceId, kind, keyId, sourceNote.slice(0, 500), now],
  );
}

/** Counts of an import so far; `errors`: the first ones. */
export interface ImportCounts {
  total: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  suppressed: number;
  /** Whom the source itself excludes; absent: it tells of nobody. */
  excluded?: number;
  errors: { row: number; field: string | null; message: string }[];
}

/** Shows how far an import is. @param end null while it goes on; `at`: epoch ms, product time */
export async function keepImport(
  tx: Tx,
  importId: string,
  counts: ImportCounts,
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
      counts.excluded ?? 0,
      JSON.stringify(counts.errors.slice(0, MOST_ERRORS)),
      end?.at ?? null,
    ],
  );
}
