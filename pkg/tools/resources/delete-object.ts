import { objectRef } from '../../api/object.ts';
import type { KindName } from '../../api/specs.ts';
import type { Tx } from '../../postgres/database.ts';
import { againAfterDeadlock } from '../../postgres/deadlock.ts';
import { tombstonePart } from '../../store/erasure/tombstones.ts';
import { requireTakenUp, showsAnother } from '../../store/resources/projection.ts';
import { scopeOf } from './create-object.ts';
import { type OutriderObject, RESOURCES } from './kinds.ts';
import { WRITE_TIMEOUT_MS, type WriteContext } from './write-context.ts';
import { writeError } from './write-errors.ts';

interface DeleteRequest<T extends object> {
  kind: KindName;
  workspaceId: string;
  id: string;
  /** @param now of the deletion: epoch ms UTC, product time */
  finish: (tx: Tx, now: number) => Promise<T>;
}

/**
 * Deletes the object, then marks its rows deleted and ends a part of their runs: the caller reads its own write. What is
 * left is its controller's, for which the object waits. `finish` runs before that in the same transaction. An object that is gone or going already is no error: a retry after a
 * crash ends what the first try began.
 */
export async function deleteObject<T extends object>(context: WriteContext, request: DeleteRequest<T>): Promise<T> {
  const { client, clocks, db, homeNamespace, onGap } = context;
  const { kind, id } = request;
  const ref = objectRef(id, homeNamespace);
  let live: OutriderObject | undefined;
  try {
    live = await client.find<OutriderObject>(RESOURCES[kind], ref, { timeoutMs: WRITE_TIMEOUT_MS });
    const found = live;
    if (found) await db.tx(scopeOf(kind, request.workspaceId), (tx) => requireTakenUp(tx, kind, id, found));
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
      const now = clocks.product.now();
      const answer = await request.finish(tx, now);
      if (!live || !(await showsAnother(tx, kind, id, live))) await tombstonePart(tx, kind, id, now);
      return answer;
    }),
  );
}
