import { z } from 'zod';
import { tool } from '../tool.ts';
import { campaignRecord, readCampaign } from './campaign-row.ts';

export const getCampaign = tool({
  name: 'svc_get_campaign',
  domain: 'Campaigns',
  title: 'Get campaign',
  description:
    'Reads one campaign with its settings, counts and reconcile status; use before changing settings. Next: svc_update_campaign or svc_list_workflows.',
  example: { input: { campaignId: '$campaignId' } },
  scope: 'campaigns:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ campaignId: z.string().min(1) }),
  output: z.object({ campaign: campaignRecord }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => ({ campaign: await readCampaign(tx, input.campaignId) }));
  },
});
