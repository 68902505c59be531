import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import { deleteContent } from '../../store/campaigns/campaign-content.ts';
import { wrongState } from '../errors.ts';
import { tool } from '../tool.ts';
import { requireCampaign } from './campaign-row.ts';

export const deleteCampaign = tool({
  name: 'svc_delete_campaign',
  domain: 'Campaigns',
  title: 'Delete campaign',
  description:
    'Deletes a campaign with its ICPs, personas, phases and workflows after cancelling every pending send; leads and conversations stay. Next: svc_list_campaigns.',
  example: { input: { campaignId: '$nextCampaignId', confirmTitle: 'Q3 founders' } },
  scope: 'campaigns:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    campaignId: z.string().min(1),
    confirmTitle: z.string().min(1).describe('Must equal the campaign title.'),
  }),
  output: z.object({ campaignId: z.string(), deleted: z.boolean(), cancelledRuns: z.number() }),
  async run(ctx, input) {
    const row = await ctx.tx((tx) => requireCampaign(tx, input.campaignId));
    if (row.state === 'active') {
      throw wrongState('The campaign is active; pause it first (status: paused)', 'svc_update_campaign');
    }
    if (input.confirmTitle !== row.title) {
      throw new UserError(
        'Invalid input: confirmTitle: differs from the title of the campaign. Call svc_get_campaign to read it.',
        'InvalidInput',
      );
    }
    return ctx.resources.delete({
      kind: 'Campaign',
      workspaceId: row.workspace_id,
      id: row.id,
      finish: async (tx, now) => {
        const cancelledRuns = await liveRuns(tx, row.id);
        await deleteContent(tx, row.id, now);
        return { campaignId: row.id, deleted: true, cancelledRuns };
      },
    });
  },
});

async function liveRuns(tx: Tx, campaignId: string): Promise<number> {
  const row = await tx.row<{ count: number }>(
    `select coalesce(
       sum((select count(*) from run r where r.workflow_id = w.id and r.ended_at is null)),
       0
     )::int as count
     from workflow w
     where w.campaign_id = $1`,
    [campaignId],
  );
  return row?.count ?? 0;
}
