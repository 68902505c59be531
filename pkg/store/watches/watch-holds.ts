import type { Tx } from '../../postgres/database.ts';
import { releaseHold } from '../credits/credits.ts';

/** Gives back what checks of a watch that are under way have on hold. @param now epoch ms, product time */
export async function releaseHoldsOf(tx: Tx, watch: { id: string; workspaceId: string }, now: number): Promise<void> {
  const holds = await tx.rows<{ id: string }>(
    `select h.id
     from scheduled_run r
     join credit_hold h on h.workspace_id = r.workspace_id and h.idempotency_key = 'watch:' || r.id and h.state = 'held'
     where r.schedule_id = $1 and r.workspace_id = $2 and r.state in ('queued', 'running')`,
    [watch.id, watch.workspaceId],
  );
  for (const { id } of holds) await releaseHold(tx, id, now, 'the watch was stopped');
}
