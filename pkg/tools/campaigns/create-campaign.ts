import { z } from 'zod';
import { campaignSpec } from '../../api/campaign.ts';
import { refName } from '../../api/object.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';

export const createCampaign = tool({
  name: 'svc_create_campaign',
  domain: 'Campaigns',
  title: 'Create campaign',
  description:
    'Creates an empty draft campaign (free); use once per goal and client. Next: svc_create_icp, then svc_create_workflow.',
  example: { input: { title: 'Q2 founders', goal: 'Ten talks' }, keep: { campaignId: 'campaignId' } },
  scope: 'campaigns:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    title: z.string().min(1).max(200),
    goal: z.string().max(2_000).optional(),
    description: z.string().max(5_000).optional(),
  }),
  output: z.object({ campaignId: z.string(), title: z.string() }),
  async run(ctx, input) {
    return ctx.resources.create({
      kind: 'Campaign',
      workspaceId: ctx.workspaceId,
      prefix: 'camp',
      spec: campaignSpec.parse({
        workspaceRef: { name: refName(ctx.workspaceId) },
        title: input.title,
        goal: input.goal ?? '',
        description: input.description ?? '',
        ...(await defaultsOf(ctx, ctx.workspaceId)),
      }),
      finish: async (_tx, written) => ({ campaignId: written.id, title: input.title }),
    });
  },
});

/** What a workspace sets for new campaigns. */
export async function defaultsOf(ctx: ToolContext, workspaceId: string): Promise<{ reviewMode?: string }> {
  const row = await ctx.tx((tx) =>
    tx.row<{ mode: string | null }>(`select settings ->> 'defaultReviewMode' as mode from workspace where id = $1`, [
      workspaceId,
    ]),
  );
  return row?.mode ? { reviewMode: row.mode } : {};
}
