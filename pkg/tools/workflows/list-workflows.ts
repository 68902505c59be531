import { z } from 'zod';
import { notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceOrCampaign } from '../workspace-param.ts';
import { type WorkflowRow, workflowSummary } from './workflow-row.ts';

export const listWorkflows = tool({
  name: 'svc_list_workflows',
  domain: 'Workflows',
  title: 'List workflows',
  description: 'Lists workflows with enabled flag and node counts. Next: svc_get_workflow.',
  example: { input: { campaignId: '$campaignId' } },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param_or_campaign',
  input: z.strictObject({
    ...workspaceOrCampaign,
    enabled: z.boolean().optional(),
    ...pageParams,
  }),
  output: z.object({ workflows: z.array(workflowSummary), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const filters = { workspaceId: ctx.workspaceId, campaignId: input.campaignId, enabled: input.enabled };
    const page = await ctx.tx(async (tx) => {
      if (input.campaignId !== undefined) {
        const found = await tx.row('select 1 from campaign where id = $1 and deleted_at is null', [input.campaignId]);
        if (!found) throw notFound('campaign', input.campaignId);
      }
      return pageOf(
        ctx,
        'svc_list_workflows',
        input,
        filters,
        (position, fetch) =>
          tx.rows<WorkflowRow & { live_runs: number }>(
            `select
               w.*,
               (select count(*) from run r where r.workflow_id = w.id and r.ended_at is null)::int as live_runs
             from workflow w
             where w.deleted_at is null
               and ($1 = '' or w.workspace_id = $1)
               and ($2::text is null or w.campaign_id = $2)
               and ($3::boolean is null or w.enabled = $3)
               and ($4::bigint is null or (w.created_at, w.id) < ($4, $5))
             order by w.created_at desc, w.id desc limit $6`,
            [
              ctx.workspaceId,
              input.campaignId ?? null,
              input.enabled ?? null,
              position?.[0] ?? null,
              position?.[1] ?? null,
              fetch,
            ],
          ),
        (row) => [row.created_at, row.id],
      );
    });
    const workflows = page.rows.map((row) => ({
      workflowId: row.id,
      campaignId: row.campaign_id,
      name: row.name,
      enabled: row.enabled,
      graphVersion: row.graph_version,
      nodeCount: row.node_count,
      liveRuns: row.live_runs,
      updatedAt: iso(row.updated_at),
    }));
    return { workflows, nextCursor: page.nextCursor };
  },
});
