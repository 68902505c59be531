import { z } from 'zod';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceOrCampaign } from '../workspace-param.ts';
import { ICP_COLUMNS, ICP_FORM, type IcpRow, icpOf, listedIcp } from './icp-row.ts';

export const listIcps = tool({
  name: 'svc_list_icps',
  domain: 'ICPs',
  title: 'List ICPs',
  description: 'Lists ideal customer profiles with their criteria. Next: svc_trigger_icp_scoring.',
  example: { input: { campaignId: '$campaignId' } },
  scope: 'icps:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param_or_campaign',
  input: z.strictObject({ ...workspaceOrCampaign, ...detailParam, ...pageParams }),
  output: z.object({ icps: z.array(listedIcp), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const page = await ctx.tx(async (tx) => {
      if (input.campaignId !== undefined) await requireCampaign(tx, input.campaignId);
      return pageOf(
        ctx,
        'svc_list_icps',
        input,
        { workspaceId: ctx.workspaceId, campaignId: input.campaignId },
        (position, fetch) =>
          tx.rows<IcpRow>(
            `select ${ICP_COLUMNS}
             from icp i
             join campaign c on c.id = i.campaign_id and c.deleted_at is null
             where i.deleted_at is null
               and ($1 = '' or i.workspace_id = $1)
               and ($2::text is null or i.campaign_id = $2)
               and ($3::uuid is null or i.id > $3)
             order by i.id limit $4`,
            [ctx.workspaceId, input.campaignId ?? null, position?.[0] ?? null, fetch],
          ),
        (row) => [row.id],
      );
    });
    const shape = shaper(ICP_FORM, input);
    return { icps: page.rows.map((row) => ({ ...shape(icpOf(row)), icpId: row.id })), nextCursor: page.nextCursor };
  },
});
