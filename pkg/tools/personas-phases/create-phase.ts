import { z } from 'zod';
import { insertPhase } from '../../store/campaigns/phases.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { tool } from '../tool.ts';
import { lockPlan, PHASE_TYPES } from './phase-row.ts';

export const createPhase = tool({
  name: 'svc_create_phase',
  domain: 'Personas & Phases',
  title: 'Create phase',
  description:
    'Adds a phase to the campaign plan (free); order is zero-based, later phases shift. Next: svc_list_phases.',
  example: {
    input: { campaignId: '$campaignId', name: 'Warm up', phaseType: 'outreach' },
    keep: { phaseId: 'phaseId' },
  },
  scope: 'campaigns:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    campaignId: z.string().min(1),
    name: z.string().min(1).max(120),
    description: z.string().max(5_000).optional(),
    objectives: z.array(z.string()).max(50).optional(),
    phaseType: z.enum(PHASE_TYPES),
    order: z.int().min(0).optional().describe('Default: at the end.'),
  }),
  output: z.object({ phaseId: z.string() }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    const campaign = await ctx.tx((tx) => requireCampaign(tx, input.campaignId));
    return ctx.create(campaign.workspace_id, async (tx) => {
      const phaseId = ctx.ids.uuid();
      await lockPlan(tx, campaign.id);
      await insertPhase(tx, {
        id: phaseId,
        workspaceId: campaign.workspace_id,
        campaignId: campaign.id,
        position: input.order ?? Number.MAX_SAFE_INTEGER,
        text: {
          name: input.name,
          description: input.description ?? '',
          objectives: input.objectives ?? [],
          phaseType: input.phaseType,
        },
        now,
      });
      return { phaseId };
    });
  },
});
