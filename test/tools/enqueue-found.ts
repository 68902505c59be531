import type { Tx } from '../../pkg/postgres/database.ts';
import { wakeIfWorking } from '../../pkg/store/runs/wake.ts';

/** Leads that wait in a workspace's queue at most; what an agent finds beyond it is not taken. */
const MAX_QUEUED = 10_000;

/** A lead that a signal agent found. */
interface FoundLead {
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
