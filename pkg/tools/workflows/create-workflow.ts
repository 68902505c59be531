import { z } from 'zod';
import { refName } from '../../api/object.ts';
import { workflowSpec } from '../../api/workflow.ts';
import { notFound } from '../errors.ts';
import { graphParam } from '../records/graph.ts';
import { tool } from '../tool.ts';
import { graphSpecOf, requireValidGraph } from './check-graph.ts';
import { EXAMPLE_WORKFLOW } from './example-workflow.ts';

export const createWorkflow = tool({
  name: 'svc_create_workflow',
  domain: 'Workflows',
  title: 'Create workflow',
  description:
    'Creates a disabled workflow from a graph (free); the hidden source:entry node is prepended and counted. Read svc_get_workflow_node_types first. Next: svc_update_workflow_status.',
  example: {
    input: { campaignId: '$campaignId', name: 'First touch', graph: EXAMPLE_WORKFLOW },
    keep: { workflowId: 'workflowId' },
  },
  scope: 'workflows:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    campaignId: z.string().min(1),
    name: z.string().min(1).max(120),
    graph: graphParam,
  }),
  output: z.object({ workflowId: z.string(), nodeCount: z.number() }),
  async run(ctx, input) {
    const { graph } = requireValidGraph(input.graph);
    const campaign = await ctx.tx((tx) =>
      tx.row<{ id: string; workspace_id: string }>(
        'select id, workspace_id from campaign where id = $1 and deleted_at is null',
        [input.campaignId],
      ),
    );
    if (!campaign || !graph) throw notFound('campaign', input.campaignId);
    return ctx.resources.create({
      kind: 'Workflow',
      workspaceId: campaign.workspace_id,
      prefix: 'flow',
      spec: workflowSpec.parse({
        campaignRef: { name: refName(campaign.id) },
        name: input.name,
        graph: graphSpecOf(graph),
      }),
      finish: async (_tx, written) => ({ workflowId: written.id, nodeCount: graph.nodes.length + 1 }),
    });
  },
});
