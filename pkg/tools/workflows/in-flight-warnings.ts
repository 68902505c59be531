import type { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import type { graphProblem } from '../records/graph.ts';

/**
 * Leads under way that do not see the version in force: the one who mends a text must know who still gets the old one.
 * Source: catalog svc_update_workflow, inFlight.
 */
export async function inFlightWarnings(
  tx: Tx,
  workflowId: string | undefined,
): Promise<z.input<typeof graphProblem>[]> {
  if (workflowId === undefined) return [];
  const row = await tx.row<{ old: number; stay: number; migrates: boolean }>(
    `select
       count(*)::int as old,
       count(*) filter (where r.node_id <> '' and not r.node_id = any (g.nodes))::int as stay,
       bool_or(w.in_flight = 'migrate') as migrates
     from workflow w
     join run r
       on r.workspace_id = w.workspace_id
         and r.workflow_id = w.id
         and r.ended_at is null
         and r.graph_version < w.graph_version
     left join lateral (
       select array_agg(n ->> 'nodeId') as nodes
       from workflow_graph v
       cross join jsonb_array_elements(v.graph -> 'nodes') n
       where v.workflow_id = w.id and v.version = w.graph_version
     ) g on true
     where w.id = $1`,
    [workflowId],
  );
  const stay = row?.migrates ? row.stay : (row?.old ?? 0);
  if (!row || stay === 0) return [];
  const way = row.migrates
    ? 'they stand at a node that this version lacks'
    : 'svc_update_workflow with inFlight migrate takes along all who stand at a node that this version has';
  const message = `${stay} leads under way finish on an older version of the graph, with its texts: ${way}.`;
  return [{ nodeIndex: null, edgeIndex: null, code: 'in_flight_on_old', message }];
}
