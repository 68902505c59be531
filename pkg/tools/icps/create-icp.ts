import { z } from 'zod';
import { insertIcp } from '../../store/campaigns/icps.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { criterionTexts } from '../criterion-texts.ts';
import { tool } from '../tool.ts';
import { companySizes } from './company-sizes.ts';

export const createIcp = tool({
  name: 'svc_create_icp',
  domain: 'ICPs',
  title: 'Create ICP',
  description:
    'Adds an ideal customer profile to a campaign (free); every criteria list is optional. Next: svc_import_leads_csv or svc_create_lead_list, then svc_trigger_icp_scoring.',
  example: {
    input: { campaignId: '$campaignId', titles: ['CTO', 'Head of Sales'], companySizes: ['11-50'] },
    keep: { icpId: 'icpId' },
  },
  scope: 'icps:write',
  category: 'write',
  // A score that it gives can bring leads into the pool of an active campaign.
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    campaignId: z.string().min(1),
    titles: criterionTexts(100).describe('Job titles; any match.'),
    industries: criterionTexts(100),
    seniorities: criterionTexts(20).describe('e.g. owner, c_suite, vp, director, manager, senior, entry.'),
    companySizes: companySizes.describe('Range strings, e.g. "11-50", "1001-5000", "10001+".'),
    keywords: criterionTexts(100),
  }),
  output: z.object({ icpId: z.string() }),
  async run(ctx, input) {
    const campaign = await ctx.tx((tx) => requireCampaign(tx, input.campaignId));
    return ctx.create(campaign.workspace_id, async (tx) => {
      const icpId = ctx.ids.uuid();
      await insertIcp(tx, {
        id: icpId,
        workspaceId: campaign.workspace_id,
        campaignId: campaign.id,
        criteria: {
          titles: input.titles ?? [],
          industries: input.industries ?? [],
          seniorities: input.seniorities ?? [],
          companySizes: input.companySizes ?? [],
          keywords: input.keywords ?? [],
        },
        now: ctx.clocks.product.now(),
      });
      return { icpId };
    });
  },
});
