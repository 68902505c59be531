import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { keepNodeIds } from '../../domain/node-history.ts';
import { insertNode } from '../../nodes/edit-graph.ts';
import { tool } from '../tool.ts';
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
  async run(ctx, input) {
    const { afterNodeId, branch } = input;
    let nodeId = '';
    return changeGraph(ctx, {
      tool: 'svc_add_workflow_node',
      workflowId: input.workflowId,
      expectedGraphVersion: input.expectedGraphVersion,
      edit: (graph, history) => {
        if (afterNodeId !== undefined) requireNode(graph, afterNodeId);
        const draft = {
          nodeType: input.nodeType,
          label: input.label ?? '',
          config: (input.config ?? {}) as JsonObject,
        };
        const node = keepNodeIds([...graph.nodes, draft], history).nodes.at(-1);
        if (!node) throw new Error('a node was given no id');
        nodeId = node.nodeId;
        return insertNode(graph, node, { afterNodeId, branch });
      },
      finish: async (_tx, row) => ({ nodeId, graphVersion: row.graph_version, nodeCount: row.node_count }),
    });
  },
});
