import { z } from 'zod';
import { insertStaticList } from '../../store/lists/list-writes.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { requireCampaignOf } from './list-row.ts';

export const createLeadList = tool({
  name: 'svc_create_lead_list',
  domain: 'Lead Lists',
  title: 'Create static list',
  description: 'Creates an empty static list, optionally attached to a campaign. Next: svc_add_leads_to_list.',
  example: { input: { name: 'Founders', campaignId: '$campaignId' }, keep: { leadListId: 'leadListId' } },
  scope: 'lead_lists:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    name: z.string().min(1).max(120),
    campaignId: z.string().min(1).optional(),
    description: z.string().max(1_000).optional(),
  }),
  output: z.object({ leadListId: z.string(), name: z.string(), type: z.string() }),
  async run(ctx, input) {
    return ctx.create(ctx.workspaceId, async (tx) => {
      const leadListId = ctx.ids.uuid();
      await requireCampaignOf(tx, input.campaignId, ctx.workspaceId);
      await insertStaticList(tx, {
        id: leadListId,
        workspaceId: ctx.workspaceId,
        campaignId: input.campaignId ?? null,
        name: input.name,
        description: input.description ?? '',
        now: ctx.clocks.product.now(),
      });
      return { leadListId, name: input.name, type: 'static' };
    });
  },
});
