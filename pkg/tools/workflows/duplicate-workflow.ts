import { z } from 'zod';
import { refName } from '../../api/object.ts';
import { workflowSpec } from '../../api/workflow.ts';
import { notFound, wrongState } from '../errors.ts';
import { tool } from '../tool.ts';
import { graphSpecOf } from './check-graph.ts';
import { readGraph, requireWorkflow } from './workflow-row.ts';

/** Longest name that a workflow may have. */
const LONGEST_NAME = 120;

export const duplicateWorkflow = tool({
  name: 'svc_duplicate_workflow',
  domain: 'Workflows',
  title: 'Duplicate workflow',
  description:
    "Copies a workflow's latest graph into a new disabled one, in the same or another campaign of the workspace. Next: svc_update_workflow.",
  example: { input: { workflowId: '$workflowId', name: 'Second try' }, keep: { copyId: 'workflowId' } },
  scope: 'workflows:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    workflowId: z.string().min(1),
    campaignId: z.string().min(1).optional(),
    name: z.string().min(1).max(LONGEST_NAME).optional(),
  }),
  output: z.object({ workflowId: z.string(), nodeCount: z.number() }),
  async run(ctx, input) {
    const { row, stored, campaignId } = await ctx.tx(async (tx) => {
      const source = await requireWorkflow(tx, input.workflowId);
      const target = input.campaignId ?? source.campaign_id;
      const campaign = await tx.row(
        'select 1 from campaign where id = $1 and workspace_id = $2 and deleted_at is null',
        [target, source.workspace_id],
      );
      if (!campaign) throw notFound('campaign', target);
      return { row: source, stored: await readGraph(tx, source), campaignId: target };
    });
    if (!stored) throw wrongState('The workflow never had a valid graph to copy', 'svc_validate_workflow');
    return ctx.resources.create({
      kind: 'Workflow',
      workspaceId: row.workspace_id,
      prefix: 'flow',
      spec: workflowSpec.parse({
        campaignRef: { name: refName(campaignId) },
        name: input.name ?? `${row.name.slice(0, LONGEST_NAME - 7)} (copy)`,
        networkAccountIds: row.network_account_ids,
        providerAccountIds: row.provider_account_ids,
        graph: graphSpecOf(stored.graph),
      }),
      finish: async (_tx, written) => ({ workflowId: written.id, nodeCount: stored.graph.nodes.length + 1 }),
    });
  },
});
