import type { Tx } from '../../postgres/database.ts';
import { certify } from '../erasure/certificates.ts';
import { holdByTool, releaseHold } from '../resources/holds.ts';

/** Who deletes a workspace, and how it ran before. */
export interface Deletion {
  reason: string;
  by: string;
  /** Epoch ms UTC, product time. */
  at: number;
  operatingMode: 'Running' | 'Suspended';
}

/** A workspace as its deletion sees it. */
export interface DeletableWorkspace {
  id: string;
  name: string;
  operating_mode: 'Running' | 'Suspended';
  /** Epoch ms UTC, product time; null: it is not marked. */
  erase_at: number | null;
  deletion: Partial<Deletion> | null;
}

/** Reads and locks it; undefined when there is none or its grace is over. For a platform transaction. */
export function lockWorkspace(tx: Tx, workspaceId: string): Promise<DeletableWorkspace | undefined> {
  return tx.row<DeletableWorkspace>(
    `select id, name, operating_mode, erase_at, deletion
     from workspace
     where id = $1 and deleted_at is null
     for no key update`,
    [workspaceId],
  );
}

/**
 * Marks a workspace for deletion: nothing of it acts any more, and its keys end at once. Marking again changes only how long the
 * grace is, counted from the first mark.
 */
export async function markForDeletion(
  tx: Tx,
  { id, operating_mode: operatingMode, deletion: earlier }: DeletableWorkspace,
  mark: { reason: string; by: string; graceMs: number; now: number },
): Promise<{ eraseAt: number }> {
  const { reason, by, graceMs, now } = mark;
  const at = earlier?.at ?? now;
  const eraseAt = at + graceMs;
  const deletion: Deletion = { reason, by, at, operatingMode: earlier?.operatingMode ?? operatingMode };
  await tx.exec('update workspace set erase_at = $2, deletion = $3 where id = $1', [
    id,
    eraseAt,
    JSON.stringify(deletion),
  ]);
  await holdByTool(tx, { workspaceId: id, kind: 'workspace', id, by, now });
  await tx.exec(
    `update api_key
     set revoked_at = $2, generation = generation + 1
     where workspace_id = $1 and key_type = 'workspace' and revoked_at is null`,
    [id, now],
  );
  return { eraseAt };
}

/** Takes the mark back; keys that ended stay ended. @returns how the workspace ran before */
export async function unmarkDeletion(
  tx: Tx,
  { id, deletion, operating_mode: mode }: DeletableWorkspace,
): Promise<'Running' | 'Suspended'> {
  await tx.exec('update workspace set erase_at = null, deletion = null where id = $1', [id]);
  await releaseHold(tx, 'workspace', id);
  return deletion?.operatingMode ?? mode;
}

/** Workspaces whose grace is over and whose resource is still there. For a platform transaction. */
export function dueDeletions(tx: Tx, now: number): Promise<{ id: string; uid: string }[]> {
  return tx.rows<{ id: string; uid: string }>(
    `select id, uid
     from workspace
     where erase_at <= $1 and purged_at is null and deleted_at is null
     order by erase_at limit 100`,
    [now],
  );
}

interface ErasedWorkspace {
  workspace_id: string;
  marked_at: number;
  purged_at: number;
  erased: object;
  kept: object;
}

/**
 * Certifies one workspace of an admin's deletion whose content is gone and that has no certificate yet: what was erased, what proves
 * contact and stays. For a platform transaction.
 * @returns its id; null when there is none
 */
export async function certifyDeletion(tx: Tx, id: string, now: number): Promise<string | null> {
  const row = await tx.row<ErasedWorkspace>('select * from app.erased_workspace()');
  if (!row) return null;
  const says = {
    workspaceId: row.workspace_id,
    markedAt: new Date(row.marked_at).toISOString(),
    erasedAt: new Date(row.purged_at).toISOString(),
    erased: row.erased,
    kept: row.kept,
  };
  await certify(tx, { id, kind: 'workspace_deletion', subject: row.workspace_id, says, now });
  return row.workspace_id;
}
