import type { Tx } from '../../postgres/database.ts';
import type { SignalAgent } from './signal-agents.ts';

/** Workflows of a workspace that take whom agent $2 found, whichever that is, or name it. */
export const LISTENS = `exists (
    select 1
    from workflow_graph g
    cross join jsonb_array_elements(g.graph -> 'nodes') n
    where g.workflow_id = f.id
      and g.version = f.graph_version
      and n ->> 'nodeType' = 'source:signal_agent'
      and coalesce(n -> 'config' ->> 'signalAgentId', $2) = $2
  )`;

/** Why nobody could take whom the agent finds, with the tool that changes it; null: a workflow could. */
export async function agentStops(tx: Tx, agent: SignalAgent): Promise<string | null> {
  const row = await tx.row<{ enabled: boolean }>(
    `select bool_or(f.enabled) as enabled
     from workflow f
     where f.workspace_id = $1
       and f.deleted_at is null
       and case when $3::text is null then ${LISTENS} else f.id = $3 end`,
    [agent.workspaceId, agent.id, agent.workflowId],
  );
  if (row?.enabled === true) return null;
  if (agent.workflowId !== null && row?.enabled === false)
    return `no enabled workflow is attached: ${agent.workflowId} is disabled (svc_update_workflow_status enables it). Call svc_update_signal_agent.`;
  const why = agent.workflowId === null ? 'none listens to the agent' : `${agent.workflowId} is gone`;
  return `no enabled workflow is attached: ${why}. Call svc_update_signal_agent.`;
}
