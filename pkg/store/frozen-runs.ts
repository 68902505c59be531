import type { Tx } from '../postgres/database.ts';

/** Live runs that one part looks at: well under a second, and no executor waits longer for one of them. */
const RUNS_AT_ONCE = 5_000;

/** A place among live runs, in the order of `run_live`. */
export interface RunPlace {
  workflowId: string;
  leadId: string;
}

/**
 * Lets the next runs that wait for a freeze look again at once, and wakes their workspaces. For the platform only; each part is
 * to be a transaction of its own.
 * @param now epoch ms UTC, product time
 * @param after where the part before came to; null: from the beginning
 * @returns where this one came to; null: to the end
 */
export async function wakeFrozen(
  tx: Tx,
  now: number,
  after: RunPlace | null,
  most = RUNS_AT_ONCE,
): Promise<RunPlace | null> {
  const row = await tx.row<RunPlace & { looked: number }>(
    `with part as materialized (
       select id, workflow_id, lead_id from run where ended_at is null and (workflow_id, lead_id) > ($2::text, $3::uuid)
       order by workflow_id, lead_id limit $4),
     released as (
       update run r set due_at = $1 from part p where r.id = p.id and r.ended_at is null and r.state <> 'paused' and r.wait_reason = 'send_freeze'
         and (r.due_at is null or r.due_at > $1) returning r.workspace_id),
     woken as (
       insert into workspace_wake as w (workspace_id, due_at, reason) select distinct workspace_id, $1::bigint, 'freeze released' from released
       on conflict (workspace_id) do update set due_at = least(w.due_at, excluded.due_at))
     select workflow_id as "workflowId", lead_id as "leadId", (select count(*)::int from part) as looked from part
     order by workflow_id desc, lead_id desc limit 1`,
    [now, after?.workflowId ?? '', after?.leadId ?? '00000000-0000-0000-0000-000000000000', most],
  );
  return row && row.looked === most ? { workflowId: row.workflowId, leadId: row.leadId } : null;
}
