import type { Tx } from '../../postgres/database.ts';
import { readGraph, type WorkflowRow } from '../workflows/workflow-row.ts';

/** A node of a workflow, and how many leads stand there. */
export interface StandingNode {
  nodeId: string;
  label: string;
  nodeType: string;
  standing: number;
}

/**
 * The nodes of the graph in force, in its order, and behind them those of older versions at which leads stand that finish
 * there: the one who is under way is to be found.
 */
export async function nodesWithLeads(tx: Tx, row: WorkflowRow): Promise<StandingNode[]> {
  const graph = await readGraph(tx, row);
  const counts = await tx.rows<{ node_id: string; count: number; version: number }>(
    `select node_id, count(*)::int as count, max(graph_version) as version from run
     where workspace_id = $1 and workflow_id = $2 and ended_at is null group by 1 order by 1`,
    [row.workspace_id, row.id],
  );
  const here = new Map(counts.map((entry) => [entry.node_id, entry.count]));
  const current = (graph?.graph.nodes ?? []).map(({ nodeId, label, nodeType }) => ({ nodeId, label, nodeType }));
  const known = new Set(current.map((node) => node.nodeId));
  const elsewhere = counts.filter((entry) => !known.has(entry.node_id));
  const older = elsewhere.length === 0 ? [] : await nodesOfVersions(tx, row, elsewhere);
  return [...current, ...older].map((node) => ({ ...node, standing: here.get(node.nodeId) ?? 0 }));
}

async function nodesOfVersions(
  tx: Tx,
  row: WorkflowRow,
  places: readonly { node_id: string; version: number }[],
): Promise<Omit<StandingNode, 'standing'>[]> {
  return tx.rows(
    `select n ->> 'nodeId' as "nodeId", n ->> 'label' as label, n ->> 'nodeType' as "nodeType"
     from unnest($2::text[], $3::int[]) with ordinality as p (node_id, version, place)
       join workflow_graph g on g.workflow_id = $1 and g.version = p.version
       cross join lateral jsonb_array_elements(g.graph -> 'nodes') n where n ->> 'nodeId' = p.node_id order by p.place`,
    [row.id, places.map((one) => one.node_id), places.map((one) => one.version)],
  );
}
