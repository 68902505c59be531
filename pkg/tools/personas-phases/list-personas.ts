import { z } from 'zod';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceOrCampaign } from '../workspace-param.ts';
import { listedPersona, PERSONA_FORM, type PersonaRow, personaOf } from './persona-row.ts';

export const listPersonas = tool({
  name: 'svc_list_personas',
  domain: 'Personas & Phases',
  title: 'List personas',
  description: 'Lists the personas of a campaign; use before crafting. Next: svc_get_persona.',
  example: { input: { campaignId: '$campaignId' } },
  scope: 'campaigns:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param_or_campaign',
  input: z.strictObject({ ...workspaceOrCampaign, ...detailParam, ...pageParams }),
  output: z.object({ personas: z.array(listedPersona), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const page = await ctx.tx(async (tx) => {
      if (input.campaignId !== undefined) await requireCampaign(tx, input.campaignId);
      return pageOf(
        ctx,
        'svc_list_personas',
        input,
        { workspaceId: ctx.workspaceId, campaignId: input.campaignId },
        (position, fetch) =>
          tx.rows<PersonaRow>(
            `select p.*
             from persona p
             join campaign c on c.id = p.campaign_id and c.deleted_at is null
             where ($1 = '' or p.workspace_id = $1)
               and ($2::text is null or p.campaign_id = $2)
               and ($3::uuid is null or p.id > $3)
             order by p.id limit $4`,
            [ctx.workspaceId, input.campaignId ?? null, position?.[0] ?? null, fetch],
          ),
        (row) => [row.id],
      );
    });
    const shape = shaper(PERSONA_FORM, input);
    const personas = page.rows.map((row) => ({ ...shape(personaOf(row)), personaId: row.id }));
    return { personas, nextCursor: page.nextCursor };
  },
});
