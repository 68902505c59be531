import type { Tx } from '../../postgres/database.ts';
import { stopRun } from '../runs/control-runs.ts';
import type { SignalAgent } from './signal-agents.ts';

/** Ends what goes on of those whom an agent enqueued, and takes who still waits off the queue. @returns how many runs ended */
export async function stopFound(tx: Tx, agent: SignalAgent, now: number): Promise<number> {
  const runs = await tx.rows<{ id: string }>(
    `select r.id
     from signal_decision d
     join run r on r.id = d.run_id
     where d.agent_id = $1 and d.outcome = 'enqueued' and r.ended_at is null
     order by r.id for update of r`,
    [agent.id],
  );
  for (const { id } of runs) await stopRun(tx, id, now, 'its signal agent was deleted');
  await tx.exec(
    `update signal_queue
     set settled_at = $3, outcome = 'agent_deleted'
     where workspace_id = $1 and signal_agent_id = $2 and settled_at is null`,
    [agent.workspaceId, agent.id, now],
  );
  return runs.length;
}
