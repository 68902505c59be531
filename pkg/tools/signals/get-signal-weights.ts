import { z } from 'zod';
import { signalRulesOf } from '../../domain/signal-score.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { tool } from '../tool.ts';
import { signalWeight, weightsOf } from './signal-weight.ts';

export const getSignalWeights = tool({
  name: 'svc_get_signal_weights',
  domain: 'Signals',
  title: 'Get signal weights',
  description: "Reads a campaign's points, window and decay per signal type. Next: svc_update_signal_weights.",
  example: { input: { campaignId: '$campaignId' } },
  scope: 'signals:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ campaignId: z.string().min(1) }),
  output: z.object({ campaignId: z.string(), weights: z.array(signalWeight), cap: z.number() }),
  async run(ctx, input) {
    const campaign = await ctx.tx((tx) => requireCampaign(tx, input.campaignId));
    const rules = signalRulesOf(campaign.settings);
    return { campaignId: campaign.id, weights: weightsOf(rules), cap: rules.cap };
  },
});
