import { objectRef } from '../../api/object.ts';
import type { KindName } from '../../api/specs.ts';
import type { Tx } from '../../postgres/database.ts';
import { againAfterDeadlock } from '../../postgres/deadlock.ts';
import { tombstoneCampaign } from '../../store/project-campaign.ts';
import { tombstoneWorkflow } from '../../store/project-workflow.ts';
import { tombstoneWorkspace } from '../../store/project-workspace.ts';
import { showsLater } from '../../store/projection.ts';
import { scopeOf } from './create-object.ts';
import { type OutriderObject, RESOURCES } from './kinds.ts';
import { WRITE_TIMEOUT_MS, type WriteContext } from './write-context.ts';
import { writeError } from './write-errors.ts';

interface DeleteRequest<T extends object> {
  kind: KindName;
  workspaceId: string;
  id: string;
  finish: (tx: Tx) => Promise<T>;
}

/** What marks the rows of an object deleted, by kind. */
export const TOMBSTONES: Readonly<Record<KindName, (tx: Tx, id: string, now: number) => Promise<void>>> = {
  Workspace: tombstoneWorkspace,
  Campaign: tombstoneCampaign,
  Workflow: tombstoneWorkflow,
};

/**
 * Deletes the object, then tombstones its rows as its controller will: the caller reads its own write. `finish` runs
 * before the tombstone in the same transaction. An object that is gone or going already is no error: a retry after a
 * crash ends what the first try began.
 */
export async function deleteObject<T extends object>(context: WriteContext, request: DeleteRequest<T>): Promise<T> {
  const { client, clocks, db, homeNamespace, onGap } = context;
  const { kind, id } = request;
  const ref = objectRef(id, homeNamespace);
  let live: OutriderObject | undefined;
  try {
    live = await client.find<OutriderObject>(RESOURCES[kind], ref, { timeoutMs: WRITE_TIMEOUT_MS });
    if (live && !live.metadata.deletionTimestamp) {
      const options = { uid: live.metadata.uid, propagationPolicy: 'Background', timeoutMs: WRITE_TIMEOUT_MS } as const;
      await client.delete(RESOURCES[kind], ref, options);
    }
  } catch (error) {
    throw writeError(error);
  }
  await onGap('applied');
  return againAfterDeadlock(() =>
    db.tx(scopeOf(kind, request.workspaceId), async (tx) => {
      const answer = await request.finish(tx);
      if (!live || !(await showsLater(tx, kind, id, live))) await TOMBSTONES[kind](tx, id, clocks.product.now());
      return answer;
    }),
  );
}
