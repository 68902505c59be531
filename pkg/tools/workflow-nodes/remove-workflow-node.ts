import { z } from 'zod';
import { outcomesOf, removeNode } from '../../nodes/edit-graph.ts';
import { followRemoval } from '../../store/node-removal.ts';
import { wakeWorkspace } from '../../store/wake.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import { changeGraph, requireNode } from './change-graph.ts';

export const removeWorkflowNode = tool({
  name: 'svc_remove_workflow_node',
  domain: 'Workflow Nodes',
  title: 'Remove workflow node',
  description:
    "Takes a node out, joining its predecessor to the chosen branch's successor; leads standing there move on to it. Next: svc_validate_workflow.",
  scope: 'workflows:write',
  category: 'write',
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    workflowId: z.string().min(1),
    nodeId: z.string().min(1),
    keepBranch: z.string().max(60).optional(),
    expectedGraphVersion: z.int().min(1).optional(),
  }),
  output: z.object({
    nodeId: z.string(),
    graphVersion: z.number(),
    nodeCount: z.number(),
    leadsMoved: z.number(),
  }),
  async run(ctx, input) {
    const { nodeId, keepBranch } = input;
    let successorId: string | null = null;
    return changeGraph(ctx, {
      tool: 'svc_remove_workflow_node',
      workflowId: input.workflowId,
      expectedGraphVersion: input.expectedGraphVersion,
      edit: (graph) => {
        const known = outcomesOf(requireNode(graph, nodeId));
        if (keepBranch !== undefined && !known.includes(keepBranch)) {
          throw invalidInput(
            'keepBranch',
            `the node has ${known.length ? `the branches ${known.join(', ')}` : 'no branches'}`,
          );
        }
        const removal = removeNode(graph, nodeId, keepBranch);
        successorId = removal.successorId;
        return removal.graph;
      },
      finish: async (tx, row, before) => {
        const now = ctx.clocks.product.now();
        const leadsMoved = await followRemoval(tx, {
          workspaceId: row.workspace_id,
          workflowId: row.id,
          nodeId,
          successorId,
          fromVersion: before.graph_version,
          toVersion: row.graph_version,
          actor: ctx.caller.user?.email ?? ctx.caller.keyPrefix,
          now,
        });
        if (leadsMoved > 0) await wakeWorkspace(tx, row.workspace_id, now, 'node removed');
        return { nodeId, graphVersion: row.graph_version, nodeCount: row.node_count, leadsMoved };
      },
    });
  },
});
