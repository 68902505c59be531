import { z } from 'zod';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { LIST_FORM, LISTS, type ListRow, listedList, listOf } from './list-row.ts';

export const listLeadLists = tool({
  name: 'svc_list_lead_lists',
  domain: 'Lead Lists',
  title: 'List lead lists',
  description: 'Lists static and query lists with counts. Next: svc_get_lead_list.',
  example: { input: { type: 'static' } },
  scope: 'lead_lists:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    campaignId: z.string().min(1).optional(),
    type: z.enum(['static', 'query']).optional(),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ leadLists: z.array(listedList), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const page = await ctx.tx(async (tx) => {
      if (input.campaignId !== undefined) await requireCampaign(tx, input.campaignId);
      return pageOf(
        ctx,
        'svc_list_lead_lists',
        input,
        { workspaceId: ctx.workspaceId, campaignId: input.campaignId, type: input.type },
        (position, fetch) =>
          tx.rows<ListRow>(
            `select * from ${LISTS} t where workspace_id = $1 and ($2::text is null or campaign_id = $2)
               and ($3::text is null or type = $3) and ($4::bigint is null or (created_at, id) < ($4, $5::uuid))
             order by created_at desc, id desc limit $6`,
            [
              ctx.workspaceId,
              input.campaignId ?? null,
              input.type ?? null,
              position?.[0] ?? null,
              position?.[1] ?? null,
              fetch,
            ],
          ),
        (row) => [row.created_at, row.id],
      );
    });
    const shape = shaper(LIST_FORM, input);
    const leadLists = page.rows.map((row) => ({ ...shape(listOf(row)), leadListId: row.id }));
    return { leadLists, nextCursor: page.nextCursor };
  },
});
