import type { Tx } from '../../postgres/database.ts';
import { wakeIfWorking } from '../runs/wake.ts';

/** Leads that wait in a workspace's queue at most. */
const MAX_QUEUED = 10_000;

/** How many leads may still wait in the queue of a workspace. */
export async function queueRoom(tx: Tx, workspaceId: string): Promise<number> {
  const row = await tx.row<{ waiting: number }>(
    'select count(*)::int as waiting from signal_queue where workspace_id = $1 and settled_at is null',
    [workspaceId],
  );
  return Math.max(0, MAX_QUEUED - (row?.waiting ?? 0));
}

/** Leads that wait for this workflow, oldest first; `signalAgentId` null: of any agent. */
export async function queuedCandidates(
  tx: Tx,
  workspaceId: string,
  query: { workflowId: string; signalAgentId: string | null; limit: number },
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    `select lead_id as id
     from signal_queue
     where workspace_id = $1
       and settled_at is null
       and (workflow_id is null or workflow_id = $2)
       and ($3::text is null or signal_agent_id = $3)
     order by enqueued_at, id limit $4`,
    [workspaceId, query.workflowId, query.signalAgentId, query.limit],
  );
  return [...new Set(rows.map((row) => row.id))];
}

/** Takes leads off the queue, with what became of each: `enrolled` and the run, or why it was refused. */
export async function settleQueued(
  tx: Tx,
  workspaceId: string,
  given: {
    workflowId: string;
    signalAgentId: string | null;
    now: number;
    outcomes: readonly { leadId: string; outcome: string; runId: string | null }[];
  },
): Promise<void> {
  if (given.outcomes.length === 0) return;
  await tx.exec(
    `with settled as (
       update signal_queue q
       set settled_at = $4, settled_by = $2, outcome = u.outcome
       from unnest($5::uuid[], $6::text[], $7::uuid[]) as u (lead_id, outcome, run_id)
       where q.workspace_id = $1
         and q.lead_id = u.lead_id
         and q.settled_at is null
         and (q.workflow_id is null or q.workflow_id = $2)
         and ($3::text is null or q.signal_agent_id = $3)
       returning q.signal_agent_id, q.signal_id, q.lead_id, u.run_id
     )
     update signal_decision d
     set run_id = s.run_id
     from settled s
     where d.signal_id = s.signal_id
       and d.lead_id = s.lead_id
       and d.agent_id::text = s.signal_agent_id
       and d.outcome = 'enqueued'
       and s.run_id is not null`,
    [
      workspaceId,
      given.workflowId,
      given.signalAgentId,
      given.now,
      given.outcomes.map((one) => one.leadId),
      given.outcomes.map((one) => one.outcome),
      given.outcomes.map((one) => one.runId),
    ],
  );
}

/**
 * Puts whom an agent found before the workflows that listen to it, and wakes the workspace. A lead that waits for the same agent is left
 * alone. @param now epoch ms, product time
 */
export async function queueFound(
  tx: Tx,
  agent: { id: string; workspaceId: string; workflowId: string | null },
  leads: readonly { leadId: string; signalId: string; rule: string }[],
  now: number,
): Promise<void> {
  await tx.exec(
    `insert into signal_queue (workspace_id, signal_agent_id, lead_id, workflow_id, rule, signal_id, enqueued_at)
     select $1, $2, q."leadId", $3, left(q.rule, 500), q."signalId", $4
     from jsonb_to_recordset($5::jsonb) as q ("leadId" uuid, rule text, "signalId" uuid)
     on conflict do nothing`,
    [agent.workspaceId, agent.id, agent.workflowId, now, JSON.stringify(leads)],
  );
  await wakeIfWorking(tx, agent.workspaceId, now, 'signal agent');
}
