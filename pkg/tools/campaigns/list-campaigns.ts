import { z } from 'zod';
import { cut } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { type CampaignRow, campaignSummary, summaryOf } from './campaign-row.ts';

export const listCampaigns = tool({
  name: 'svc_list_campaigns',
  domain: 'Campaigns',
  title: 'List campaigns',
  description:
    'Lists the campaigns of a workspace with their IDs and states; start here to find a campaignId. Next: svc_get_campaign.',
  example: { input: { limit: 10 } },
  scope: 'campaigns:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam, ...pageParams }),
  output: z.object({ campaigns: z.array(campaignSummary), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const page = await ctx.tx((tx) =>
      pageOf(
        ctx,
        'svc_list_campaigns',
        input,
        { workspaceId: ctx.workspaceId },
        (position, fetch) =>
          tx.rows<CampaignRow>(
            `select * from campaign where workspace_id = $1 and deleted_at is null
               and ($2::bigint is null or (created_at, id) < ($2, $3)) order by created_at desc, id desc limit $4`,
            [ctx.workspaceId, position?.[0] ?? null, position?.[1] ?? null, fetch],
          ),
        (row) => [row.created_at, row.id],
      ),
    );
    return {
      campaigns: page.rows.map((row) => ({ ...summaryOf(row), goal: cut(row.goal) })),
      nextCursor: page.nextCursor,
    };
  },
});
