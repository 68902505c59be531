import type { Graph } from '../../domain/graph.ts';
import { keepNodeIds, type NodeHistory } from '../../domain/node-history.ts';
import type { Tx } from '../../postgres/database.ts';
import { nodeHistory } from '../../store/resources/workflow-graph.ts';
import { notFound } from '../errors.ts';
import type { ToolContext } from '../tool-context.ts';
import { graphSpecOf, requireValidGraph } from '../workflows/check-graph.ts';
import { requireTaken, requireVersion, requireWorkflow, type WorkflowRow } from '../workflows/workflow-row.ts';

interface GraphChange<T extends object> {
  workflowId: string;
  expectedGraphVersion: number | undefined;
  /** Whether an earlier try of the same call made the change already: then it is made no second time. */
  isMade?: (tx: Tx, row: WorkflowRow, history: NodeHistory) => Promise<boolean>;
  /** Sees the rows as they are for the version that is edited. */
  look?: (tx: Tx, row: WorkflowRow) => Promise<void>;
  /** Pure; may run again when somebody else wrote meanwhile. Every node of the graph carries its id. */
  edit: (graph: Graph, history: NodeHistory) => Graph;
  /** In the transaction that stored the new version. */
  finish: (tx: Tx, row: WorkflowRow, before: WorkflowRow) => Promise<T>;
}

/**
 * Changes the graph of the resource as a new version; leads in flight follow the workflow's own `inFlight`.
 * @throws UserError when the workflow, version or resulting graph is not as it must be
 */
export async function changeGraph<T extends object>(ctx: ToolContext, change: GraphChange<T>): Promise<T> {
  let before = await ctx.tx((tx) => requireWorkflow(tx, change.workflowId));
  let history: NodeHistory | undefined;
  let made = false;
  return ctx.resources.update({
    kind: 'Workflow',
    workspaceId: before.workspace_id,
    id: before.id,
    check: async (tx) => {
      before = await requireWorkflow(tx, before.id);
      history = await nodeHistory(tx, before.id);
      made = (await change.isMade?.(tx, before, history)) ?? false;
      if (!made) await requireVersion(tx, before.id, change.expectedGraphVersion);
      await change.look?.(tx, before);
    },
    change: (spec) => {
      if (!history) throw new Error('the change ran before its check');
      if (made) return spec;
      const { nodes } = keepNodeIds(spec.graph.nodes, history);
      const { graph } = requireValidGraph(change.edit({ nodes, edges: spec.graph.edges }, history));
      if (!graph) throw new Error('a valid graph was not compiled');
      return { ...spec, graph: graphSpecOf(graph) };
    },
    finish: async (tx) => change.finish(tx, await requireTaken(tx, before.id), before),
  });
}

/** @throws UserError when the graph has no such node */
export function requireNode(graph: Graph, nodeId: string): Graph['nodes'][number] {
  const node = graph.nodes.find((one) => one.nodeId === nodeId);
  if (!node) throw notFound('workflowNode', nodeId);
  return node;
}
