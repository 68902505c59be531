import type { Tx } from '../../postgres/database.ts';

type HoldKind = 'workspace' | 'campaign' | 'workflow';

/**
 * Stops a campaign or a workflow at once, whatever its resource says; a hold that is there stays as it is.
 * @param hold `by`: who stops it; `now`: epoch ms UTC, product time
 */
export async function holdByTool(
  tx: Tx,
  hold: { workspaceId: string; kind: HoldKind; id: string; by: string; now: number },
): Promise<void> {
  await tx.exec(
    `insert into hold (workspace_id, kind, id, reason, held_by, created_at)
     values ($1, $2, $3, 'StoppedByTool', $4, $5)
     on conflict (kind, id) do nothing`,
    [hold.workspaceId, hold.kind, hold.id, hold.by, hold.now],
  );
}

/** Lets an object go on. */
export async function releaseHold(tx: Tx, kind: HoldKind, id: string): Promise<void> {
  await tx.exec('delete from hold where kind = $1 and id = $2', [kind, id]);
}

/** Lets an object go on unless it was held after `until` (epoch ms UTC, product time). */
export async function releaseHoldUntil(tx: Tx, kind: HoldKind, id: string, until: number): Promise<void> {
  await tx.exec('delete from hold where kind = $1 and id = $2 and created_at <= $3', [kind, id, until]);
}
