import { z } from 'zod';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import type { GraphNode } from '../../domain/graph.ts';
import { keepNodeIds, type NodeHistory } from '../../domain/node-history.ts';
import { insertNode } from '../../nodes/edit-graph.ts';
import { tool } from '../tool.ts';
import { requireWorkflow } from '../workflows/workflow-row.ts';
import { changeGraph, requireNode } from './change-graph.ts';

export const addWorkflowNode = tool({
  name: 'svc_add_workflow_node',
  domain: 'Workflow Nodes',
  title: 'Add workflow node',
  description: 'Inserts a node after another one (on a branch) as a new graph version. Next: svc_validate_workflow.',
  example: {
    input: {
      workflowId: '$workflowId',
      nodeType: 'lead:tag',
      label: 'Mark',
      config: { add: ['seen'] },
      afterNodeId: 'look',
    },
    keep: { nodeId: 'nodeId' },
  },
  scope: 'workflows:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    workflowId: z.string().min(1),
    nodeType: z.string().min(1),
    label: z.string().max(120).optional(),
    config: z.record(z.string(), z.json()).optional(),
    afterNodeId: z.string().min(1).optional().describe('Default: after the last node of the main path.'),
    branch: z.string().max(60).optional(),
    expectedGraphVersion: z.int().min(1).optional(),
  }),
  output: z.object({ nodeId: z.string(), graphVersion: z.number(), nodeCount: z.number() }),
  // The same node is often added twice: the answer holds only while no other change of the graph followed it.
  stands: async (tx, { graphVersion }, { workflowId }) =>
    (await requireWorkflow(tx, workflowId)).graph_version === graphVersion,
  async run(ctx, input) {
    const { afterNodeId, branch } = input;
    const draft = { nodeType: input.nodeType, label: input.label ?? '', config: (input.config ?? {}) as JsonObject };
    let nodeId = '';
    return changeGraph(ctx, {
      workflowId: input.workflowId,
      expectedGraphVersion: input.expectedGraphVersion,
      isMade: async (tx, row, history) => {
        const isOurs = (id: string): boolean =>
          history.previous?.nodes.some((node) => isSame(node, id, draft)) ?? false;
        nodeId = await ctx.nameOnce(tx, row.workspace_id, {
          propose: () => newNodeId(history.previous?.nodes ?? [], draft, history),
          holds: (id) => isOurs(id) || !history.used.has(id),
        });
        return isOurs(nodeId);
      },
      edit: (graph, history) => {
        if (afterNodeId !== undefined) requireNode(graph, afterNodeId);
        // A graph that was not taken has ids that no version had.
        if (graph.nodes.some((node) => node.nodeId === nodeId)) nodeId = newNodeId(graph.nodes, draft, history);
        return insertNode(graph, { nodeId, ...draft }, { afterNodeId, branch });
      },
      finish: async (_tx, row) => ({ nodeId, graphVersion: row.graph_version, nodeCount: row.node_count }),
    });
  },
});

type Draft = Omit<GraphNode, 'nodeId'>;

function newNodeId(nodes: readonly GraphNode[], draft: Draft, history: NodeHistory): string {
  const node = keepNodeIds([...nodes, draft], history).nodes.at(-1);
  if (!node) throw new Error('a node was given no id');
  return node.nodeId;
}

/** Whether the node is the one that the call adds: only an earlier try of it can have put it there. */
function isSame(node: GraphNode, nodeId: string, { nodeType, label, config }: Draft): boolean {
  if (node.nodeId !== nodeId || node.nodeType !== nodeType) return false;
  return (node.label || nodeType) === (label || nodeType) && canonicalJson(node.config) === canonicalJson(config);
}
