import type { OwnReason } from '../../api/condition-words.ts';
import type { WorkflowSpec } from '../../api/specs.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Graph } from '../../domain/graph.ts';
import { keepNodeIds, type NodeHistory } from '../../domain/node-history.ts';
import type { Tx } from '../../postgres/database.ts';
import type { GraphChecker } from './graph-checker.ts';

/** What a projection decided about a graph. */
/** Why a graph does not come into force, as its row keeps it. */
export type GraphProblem = `${OwnReason}: ${string}`;

export interface GraphReadiness {
  /** Version in force after the projection; 0: none. */
  version: number;
  /** Nodes of the version in force, the hidden entry included; 0: none. */
  nodeCount: number;
  /** `<Reason>: <sentence>`, or null. */
  problem: GraphProblem | null;
  /** A new version to be stored. */
  change: { version: number; graph: Graph; nodeTypesVersion: string } | null;
}

/** The newest stored version of a workflow's graph, whatever became of the workflow since. */
export async function latestGraph(tx: Tx, workflowId: string): Promise<{ version: number; graph: Graph } | undefined> {
  return tx.row(`select version, graph from workflow_graph where workflow_id = $1 order by version desc limit 1`, [
    workflowId,
  ]);
}

/** What the identity of the workflow's nodes depends on. */
export async function nodeHistory(tx: Tx, workflowId: string): Promise<NodeHistory & { version: number }> {
  const latest = await latestGraph(tx, workflowId);
  const used = await tx.rows<{ id: string }>(
    `select distinct n ->> 'nodeId' as id from workflow_graph g cross join jsonb_array_elements(g.graph -> 'nodes') n
     where g.workflow_id = $1`,
    [workflowId],
  );
  const sent = await tx.rows<{ id: string }>(
    `select distinct s.node_id as id from send s
     where s.workflow_id = $1 and s.state <> 'failed'
       and exists (select 1 from run r where r.workflow_id = s.workflow_id and r.ended_at is null)`,
    [workflowId],
  );
  return {
    version: latest?.version ?? 0,
    previous: latest?.graph ?? null,
    used: new Set(used.map((row) => row.id)),
    sent: new Set(sent.map((row) => row.id)),
  };
}

/** Assigns node ids and decides whether the graph becomes a new version, is the one in force, or is refused. */
export async function judgeGraph(
  tx: Tx,
  workflowId: string,
  wanted: WorkflowSpec['graph'],
  checker: GraphChecker,
): Promise<GraphReadiness> {
  const history = await nodeHistory(tx, workflowId);
  const { nodes, lost } = keepNodeIds(wanted.nodes, history);
  const graph = graphOf(nodes, wanted.edges);
  const inForce = { version: history.version, nodeCount: history.previous ? history.previous.nodes.length + 1 : 0 };
  const unchanged = history.previous !== null && canonicalJson(history.previous) === canonicalJson(graph);
  const [invalid, ...others] = checker.problemsOf(graph, unchanged);
  if (invalid !== undefined) {
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    return { ...inForce, problem: `InvalidGraph: ${invalid}${more}`, change: null };
  }
  if (unchanged) return { ...inForce, problem: null, change: null };
  if (lost.length > 0) return { ...inForce, problem: `NodeIdentityLost: ${lostMessage(lost)}`, change: null };
  const version = history.version + 1;
  return {
    version,
    nodeCount: nodes.length + 1,
    problem: null,
    change: { version, graph, nodeTypesVersion: checker.version },
  };
}

/** Stores a version; the row of the workflow must exist. */
export async function storeGraph(
  tx: Tx,
  workflowId: string,
  workspaceId: string,
  change: NonNullable<GraphReadiness['change']>,
  now: number,
): Promise<void> {
  await tx.exec(
    `insert into workflow_graph (workspace_id, workflow_id, version, graph, node_types_version, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [workspaceId, workflowId, change.version, JSON.stringify(change.graph), change.nodeTypesVersion, now],
  );
}

/** Says which nodes an edit loses and what to do. */
export function lostMessage(lost: readonly string[]): string {
  const names = lost.map((nodeId) => `"${nodeId}"`).join(', ');
  return `the edit loses ${names}, which sent already while leads are under way; keep the nodeId or stop the runs first`;
}

/** A graph as it is stored and judged, its nodes with their ids. */
export function graphOf(nodes: Graph['nodes'], edges: WorkflowSpec['graph']['edges']): Graph {
  return { nodes, edges: edges.map(storedEdge) };
}

function storedEdge(edge: WorkflowSpec['graph']['edges'][number]): Graph['edges'][number] {
  return { sourceIndex: edge.sourceIndex, targetIndex: edge.targetIndex, branch: edge.branch ?? null };
}
