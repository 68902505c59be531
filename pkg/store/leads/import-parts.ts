import type { Tx } from '../../postgres/database.ts';
import { LockTaken } from '../../postgres/taken-lock.ts';

/** Where an import in parts stands. */
export interface PartialImport {
  id: string;
  /** Parts that are stored. */
  partsDone: number;
  created: number;
  updated: number;
  skipped: number;
  suppressed: number;
  /** Leads that the file itself excludes. */
  excluded: number;
  /** What its parts said of rows. */
  said: readonly { row: number; field: string | null; message: string; skipped?: true }[];
  inputHash: string | null;
  /** It was completed, by this call or by one that is the same. */
  over: boolean;
}

const COLUMNS = `id, parts_done as "partsDone", created, updated, skipped, suppressed, excluded, said, input_hash as "inputHash",
  status = 'completed' as over`;

/** By which call an import is found again. */
export interface ImportCall {
  workspaceId: string;
  callKey: string;
  inputHash: string;
}

/** The import that an earlier call of this key left under way, held to the end of the transaction; undefined: none. */
export function findPartialImport(tx: Tx, { workspaceId, callKey }: ImportCall): Promise<PartialImport | undefined> {
  return tx.row<PartialImport>(
    `select ${COLUMNS} from lead_import where workspace_id = $1 and call_key = app.kept_key($2) for update nowait`,
    [workspaceId, callKey],
  );
}

/** The import of this id, under way or over, held to the end of the transaction. @throws Error when it is gone */
export async function holdPartialImport(tx: Tx, id: string): Promise<PartialImport> {
  const row = await tx.row<PartialImport>(`select ${COLUMNS} from lead_import where id = $1 for update nowait`, [id]);
  if (!row) throw new Error('an import is gone while it is under way');
  return row;
}

/**
 * Begins an import in parts.
 * @param begun `total`: rows of the file; `now`: epoch ms UTC, product time
 * @throws LockTaken when the same call begins at the same moment
 */
export async function beginPartialImport(
  tx: Tx,
  { workspaceId, callKey, inputHash }: ImportCall,
  begun: { id: string; keyId: string; total: number; sourceNote: string | null; now: number },
): Promise<PartialImport> {
  const row = await tx.row<PartialImport>(
    `insert into lead_import (
       id, workspace_id, kind, key_id, status, total, source_note, started_at, call_key, input_hash, touched_at
     )
     values ($1, $2, 'csv', $3, 'running', $4, $5, $6, app.kept_key($7), $8, clock_timestamp())
     on conflict (workspace_id, call_key) where call_key is not null do nothing
     returning ${COLUMNS}`,
    [begun.id, workspaceId, begun.keyId, begun.total, begun.sourceNote, begun.now, callKey, inputHash],
  );
  if (!row)
    throw new LockTaken(
      'The same import is running; nothing was done. Call svc_get_import_progress.',
      `import ${workspaceId} ${callKey}`,
    );
  return row;
}

/** Keeps that a part is stored, in the transaction that stores it. */
export async function advancePartialImport(
  tx: Tx,
  at: PartialImport,
  part: {
    created: number;
    updated: number;
    skipped: number;
    suppressed: number;
    excluded: number;
    said: readonly object[];
  },
): Promise<PartialImport> {
  const row = await tx.row<PartialImport>(
    `update lead_import
     set
       parts_done = parts_done + 1,
       created = created + $2,
       updated = updated + $3,
       skipped = skipped + $4,
       suppressed = suppressed + $5,
       said = said || $6::jsonb,
       excluded = excluded + $7,
       touched_at = clock_timestamp()
     where id = $1
     returning ${COLUMNS}`,
    [at.id, part.created, part.updated, part.skipped, part.suppressed, JSON.stringify(part.said), part.excluded],
  );
  if (!row) throw new Error('an import is gone while it is under way');
  return row;
}

/** Ends an import whose parts are all stored. @param now epoch ms UTC, product time */
export async function completePartialImport(
  tx: Tx,
  done: { id: string; skipped: number; errors: readonly object[]; now: number },
): Promise<void> {
  await tx.exec(
    `update lead_import
     set
       status = 'completed',
       total = created + updated + $2,
       skipped = $2,
       errors = $3,
       finished_at = $4,
       call_key = null,
       said = '[]'
     where id = $1`,
    [done.id, done.skipped, JSON.stringify(done.errors), done.now],
  );
}

/** Forgets an import whose call is answered by another one. */
export async function dropPartialImport(tx: Tx, id: string): Promise<void> {
  await tx.exec('delete from lead_import where id = $1', [id]);
}
