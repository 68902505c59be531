import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import { readGraph, requireWorkflow, workflowOf, workflowRecord } from './workflow-row.ts';

export const getWorkflow = tool({
  name: 'svc_get_workflow',
  domain: 'Workflows',
  title: 'Get workflow',
  description:
    'Reads one workflow: graph with node IDs, version, senders and reconcile status. Next: svc_update_workflow_status or svc_list_leads_at_node.',
  example: { input: { workflowId: '$workflowId' } },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    workflowId: z.string().min(1),
    graphVersion: z.int().min(1).optional().describe('Default: latest.'),
  }),
  output: z.object({ workflow: workflowRecord }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const row = await requireWorkflow(tx, input.workflowId);
      const version = Math.min(input.graphVersion ?? row.graph_version, 2 ** 31 - 1);
      const graph = await readGraph(tx, row, version);
      if (input.graphVersion !== undefined && !graph) {
        throw invalidInput('graphVersion', `this workflow has versions 1 to ${row.graph_version}`);
      }
      return { workflow: workflowOf(row, graph) };
    });
  },
});
