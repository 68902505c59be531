import { z } from 'zod';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { tool } from '../tool.ts';
import { lockPlan, PHASE_TYPES } from './phase-row.ts';

export const createPhase = tool({
  name: 'svc_create_phase',
  domain: 'Personas & Phases',
  title: 'Create phase',
  description:
    'Adds a phase to the campaign plan (free); order is zero-based, later phases shift. Next: svc_list_phases.',
  scope: 'campaigns:write',
  category: 'write',
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
      const count = await tx.row<{ count: number }>('select count(*)::int as count from phase where campaign_id = $1', [
        campaign.id,
      ]);
      const position = Math.min(input.order ?? Number.MAX_SAFE_INTEGER, count?.count ?? 0);
      await tx.exec(
        'update phase set position = position + 1, updated_at = $3 where campaign_id = $1 and position >= $2',
        [campaign.id, position, now],
      );
      await tx.exec(
        `insert into phase (
           id, workspace_id, campaign_id, name, description, objectives, phase_type, position, created_at,
           updated_at
         )
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
        [
          phaseId,
          campaign.workspace_id,
          campaign.id,
          input.name,
          input.description ?? '',
          input.objectives ?? [],
          input.phaseType,
          position,
          now,
        ],
      );
      return { phaseId };
    });
  },
});
