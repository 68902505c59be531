import type { Tx } from '../../postgres/database.ts';
import { wakeIfWorking } from '../runs/wake.ts';

/** Leads that wait in a workspace's queue at most; what an agent finds beyond it is not taken. */
export const MAX_QUEUED = 10_000;

/** A lead that a signal agent found. */
export interface FoundLead {
  leadId: string;
  /** Why the agent chose it, for people. */
  rule: string;
  signalId?: string | null;
}

/**
 * Puts what an agent found behind what waits already; a lead that waits for the same agent is left alone. Wakes the
 * workspace. Times epoch ms UTC, product time. @returns how many were taken
 */
export async function enqueueFound(
  tx: Tx,
  found: {
    workspaceId: string;
    signalAgentId: string;
    /** The workflow that the agent feeds; null: any that listens to it. */
    workflowId: string | null;
    now: number;
    leads: readonly FoundLead[];
  },
): Promise<number> {
  const taken = await tx.exec(
    `insert into signal_queue (workspace_id, signal_agent_id, lead_id, workflow_id, rule, signal_id, enqueued_at)
     select $1, $2, q."leadId", $3, left(coalesce(q.rule, ''), 500), q."signalId", $4
     from jsonb_to_recordset($5::jsonb) as q ("leadId" uuid, rule text, "signalId" uuid) join lead l on l.id = q."leadId" and l.erased_at is null
     limit greatest(0, $6 - (select count(*) from signal_queue where workspace_id = $1 and settled_at is null))
     on conflict do nothing`,
    [found.workspaceId, found.signalAgentId, found.workflowId, found.now, JSON.stringify(found.leads), MAX_QUEUED],
  );
  if (taken > 0) await wakeIfWorking(tx, found.workspaceId, found.now, 'signal agent');
  return taken;
}

/** Leads that wait for this workflow, oldest first; `signalAgentId` null: of any agent. */
export async function queuedCandidates(
  tx: Tx,
  workspaceId: string,
  query: { workflowId: string; signalAgentId: string | null; limit: number },
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    `select lead_id as id from signal_queue where workspace_id = $1 and settled_at is null and (workflow_id is null or workflow_id = $2)
       and ($3::text is null or signal_agent_id = $3) order by enqueued_at, id limit $4`,
    [workspaceId, query.workflowId, query.signalAgentId, query.limit],
  );
  return [...new Set(rows.map((row) => row.id))];
}

/** Takes leads off the queue, with what became of each: `enrolled`, or why it was refused. */
export async function settleQueued(
  tx: Tx,
  workspaceId: string,
  given: {
    workflowId: string;
    signalAgentId: string | null;
    now: number;
    outcomes: readonly { leadId: string; outcome: string }[];
  },
): Promise<void> {
  if (given.outcomes.length === 0) return;
  await tx.exec(
    `update signal_queue q set settled_at = $4, settled_by = $2, outcome = u.outcome
     from unnest($5::uuid[], $6::text[]) as u (lead_id, outcome)
     where q.workspace_id = $1 and q.lead_id = u.lead_id and q.settled_at is null and (q.workflow_id is null or q.workflow_id = $2)
       and ($3::text is null or q.signal_agent_id = $3)`,
    [
      workspaceId,
      given.workflowId,
      given.signalAgentId,
      given.now,
      given.outcomes.map((one) => one.leadId),
      given.outcomes.map((one) => one.outcome),
    ],
  );
}
