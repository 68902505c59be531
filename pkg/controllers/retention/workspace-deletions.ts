import { objectRef } from '../../api/object.ts';
import type { PeriodicJob } from '../../base/periodic.ts';
import { tombstoneWhole } from '../../store/erasure/tombstones.ts';
import { certifyDeletion, dueDeletions } from '../../store/tenancy/workspace-deletion.ts';
import { type OutriderObject, RESOURCES } from '../../tools/resources/kinds.ts';
import type { OperatorContext } from '../context.ts';

/** Real ms between looks. */
const EVERY_MS = 60_000;
const WITHIN_MS = 300_000;

/**
 * The leader deletes the resource of a workspace that a platform admin marked, once its grace is over; its finalizer ends what runs,
 * and retention purges the content. Then it certifies that all is gone.
 */
export function workspaceDeletionsJob(context: OperatorContext): PeriodicJob {
  return {
    name: 'workspace-deletions',
    everyMs: EVERY_MS,
    withinMs: WITHIN_MS,
    run: (signal) => endDueWorkspaces(context, signal),
  };
}

/** One look. */
export async function endDueWorkspaces(context: OperatorContext, signal: AbortSignal): Promise<void> {
  const { db, clocks, runtime } = context;
  const now = clocks.product.now();
  const due = await db.tx({ kind: 'platform' }, (tx) => dueDeletions(tx, now));
  for (const { id, uid } of due) {
    signal.throwIfAborted();
    await endWorkspace(context, id, uid, now);
    runtime.log.info({ workspaceId: id }, 'the grace of a deleted workspace is over');
  }
  while (!signal.aborted) {
    const id = await db.tx({ kind: 'platform' }, (tx) => certifyDeletion(tx, runtime.ids.uuid(), now));
    if (id === null) return;
    runtime.log.info({ workspaceId: id }, 'the deletion of a workspace is certified');
  }
}

/** A workspace without a resource, whose namespace went, has rows alone. */
async function endWorkspace(
  { client, db, homeNamespace }: OperatorContext,
  id: string,
  uid: string,
  now: number,
): Promise<void> {
  const ref = objectRef(id, homeNamespace);
  const live = await client.find<OutriderObject>(RESOURCES.Workspace, ref);
  if (live?.metadata.uid === uid) {
    if (!live.metadata.deletionTimestamp) await client.delete(RESOURCES.Workspace, ref, { uid });
    return;
  }
  await db.tx({ kind: 'platform' }, (tx) => tombstoneWhole(tx, 'Workspace', id, now));
}
