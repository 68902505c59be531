import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { tool } from '../tool.ts';
import { changeGraph, requireNode } from './change-graph.ts';

export const updateWorkflowNode = tool({
  name: 'svc_update_workflow_node',
  domain: 'Workflow Nodes',
  title: 'Update workflow node',
  description:
    'Changes label or config of one node as a new graph version; its type is fixed. Next: svc_validate_workflow.',
  example: { input: { workflowId: '$workflowId', nodeId: '$nodeId', config: { add: ['looked at'] } } },
  scope: 'workflows:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    workflowId: z.string().min(1),
    nodeId: z.string().min(1),
    label: z.string().max(120).optional(),
    config: z.record(z.string(), z.json()).optional().describe('Replaces the config.'),
    expectedGraphVersion: z.int().min(1).optional(),
  }),
  output: z.object({ nodeId: z.string(), graphVersion: z.number() }),
  async run(ctx, input) {
    const { nodeId, label, config } = input;
    return changeGraph(ctx, {
      workflowId: input.workflowId,
      expectedGraphVersion: input.expectedGraphVersion,
      edit: (graph) => {
        const changed = {
          ...requireNode(graph, nodeId),
          ...(label === undefined ? {} : { label }),
          ...(config === undefined ? {} : { config: config as JsonObject }),
        };
        return { ...graph, nodes: graph.nodes.map((node) => (node.nodeId === nodeId ? changed : node)) };
      },
      finish: async (_tx, row) => ({ nodeId, graphVersion: row.graph_version }),
    });
  },
});
