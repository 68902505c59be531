import { z } from 'zod';
import { insertPersona } from '../../store/campaigns/personas.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { tool } from '../tool.ts';
import { points } from './persona-row.ts';

export const createPersona = tool({
  name: 'svc_create_persona',
  domain: 'Personas & Phases',
  title: 'Create persona',
  description: 'Adds an optional buyer persona that sharpens AI crafting (free). Next: svc_list_personas.',
  example: {
    input: { campaignId: '$campaignId', name: 'Technical founder', painPoints: ['hiring'] },
    keep: { personaId: 'personaId' },
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
    painPoints: points,
    goals: points,
    objections: points,
  }),
  output: z.object({ personaId: z.string() }),
  async run(ctx, input) {
    const campaign = await ctx.tx((tx) => requireCampaign(tx, input.campaignId));
    return ctx.create(campaign.workspace_id, async (tx) => {
      const personaId = ctx.ids.uuid();
      await insertPersona(tx, {
        id: personaId,
        workspaceId: campaign.workspace_id,
        campaignId: campaign.id,
        text: {
          name: input.name,
          description: input.description ?? '',
          painPoints: input.painPoints ?? [],
          goals: input.goals ?? [],
          objections: input.objections ?? [],
        },
        now: ctx.clocks.product.now(),
      });
      return { personaId };
    });
  },
});
