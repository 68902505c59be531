import type { JsonObject } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';

/** How a comparison with a CRM stands. `work.done` is what it has done so far: see `syncCounts`. */
export interface CrmSync {
  status: 'queued' | 'running' | 'completed' | 'failed';
  work: JsonObject;
  error: string | null;
}

/** What a comparison did, all parts together; numbers of persons. */
export interface SyncCounts {
  created: number;
  updated: number;
  /** They must not be contacted, as the CRM says: excluded here. */
  excluded: number;
  /** They must not be contacted, as we know: the CRM was told. */
  told: number;
  /** Fields of theirs that are ours were written there. */
  pushed: number;
  /** They left a list there. */
  left: number;
}

/**
 * Queues a comparison with a CRM for the executor's workspace, or joins the one under way. Servers work it off in steps from a cursor of
 * its own, as many pages at a time as the vendor allows: lists that are kept in sync, then who is known there, then what is ours to tell.
 * @param sync `id`: of the job if this call makes it; `now`: epoch ms, product time
 * @returns the job's id; null: the CRM is not connected (any more), or needs new credentials
 */
export async function queueCrmSync(
  tx: Tx,
  sync: { id: string; integrationId: string; now: number },
): Promise<string | null> {
  const row = await tx.row<{ job: string | null }>('select app.queue_crm_sync($1, $2, $3) as job', [
    sync.id,
    sync.integrationId,
    sync.now,
  ]);
  return row?.job ?? null;
}

/** How a comparison of the executor's workspace stands; undefined: there is none of this id. */
export function crmSyncOf(tx: Tx, jobId: string): Promise<CrmSync | undefined> {
  return tx.row<CrmSync>('select status, work, error from app.crm_sync_of($1)', [jobId]);
}

/** What a comparison has done so far. */
export function syncCounts(sync: Pick<CrmSync, 'work'>): SyncCounts {
  const done = (sync.work['done'] ?? {}) as Partial<Record<keyof SyncCounts, number>>;
  const { created = 0, updated = 0, excluded = 0, told = 0, pushed = 0, left = 0 } = done;
  return { created, updated, excluded, told, pushed, left };
}
