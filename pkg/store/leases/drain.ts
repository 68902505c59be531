import type { Tx } from '../../postgres/database.ts';

/** Tells the holder of this epoch to finish and give the claim back. */
export async function requestDrain(tx: Tx, workspaceId: string, epoch: number): Promise<void> {
  await tx.exec(`update claim set drain_epoch = epoch where kind = 'workspace' and key = $1 and epoch = $2`, [
    workspaceId,
    epoch,
  ]);
}

/**
 * Takes the right to end an idle executor: only while its holder of this epoch is idle long enough and nothing became
 * due, under the row's lock, so that new work wins. @returns whether it may be ended
 */
export async function claimSleep(
  tx: Tx,
  workspaceId: string,
  { epoch, idleMs, dueBefore }: { epoch: number; idleMs: number; dueBefore: number },
): Promise<boolean> {
  const taken = await tx.exec(
    `update claim
     set drain_epoch = epoch
     where kind = 'workspace'
       and key = $1
       and epoch = $2
       and idle_epoch = epoch
       and idle_since <= clock_timestamp() - make_interval(secs => $3)
       and not exists (select 1 from workspace_wake where workspace_id = $1 and due_at <= $4)`,
    [workspaceId, epoch, idleMs / 1_000, dueBefore],
  );
  return taken > 0;
}
