import { z } from 'zod';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { pageOf, pageParams } from '../paging.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceOrCampaign } from '../workspace-param.ts';

/** Catalog record Persona. */
const persona = z.object({
  personaId: z.string(),
  campaignId: z.string(),
  name: z.string(),
  description: z.string(),
  painPoints: z.array(z.string()),
  goals: z.array(z.string()),
  objections: z.array(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});

interface Row {
  id: string;
  campaign_id: string;
  name: string;
  description: string;
  pain_points: string[];
  goals: string[];
  objections: string[];
  created_at: number;
  updated_at: number;
}

export const listPersonas = tool({
  name: 'svc_list_personas',
  domain: 'Personas & Phases',
  title: 'List personas',
  description: 'Lists the personas of a campaign; use before crafting. Next: svc_create_persona.',
  scope: 'campaigns:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param_or_campaign',
  input: z.strictObject({ ...workspaceOrCampaign, ...pageParams }),
  output: z.object({ personas: z.array(persona), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const page = await ctx.tx(async (tx) => {
      if (input.campaignId !== undefined) await requireCampaign(tx, input.campaignId);
      return pageOf(
        ctx,
        'svc_list_personas',
        input,
        { workspaceId: ctx.workspaceId, campaignId: input.campaignId },
        (position, fetch) =>
          tx.rows<Row>(
            `select p.* from persona p join campaign c on c.id = p.campaign_id and c.deleted_at is null
             where ($1 = '' or p.workspace_id = $1) and ($2::text is null or p.campaign_id = $2) and ($3::uuid is null or p.id > $3)
             order by p.id limit $4`,
            [ctx.workspaceId, input.campaignId ?? null, position?.[0] ?? null, fetch],
          ),
        (row) => [row.id],
      );
    });
    return { personas: page.rows.map(personaOf), nextCursor: page.nextCursor };
  },
});

function personaOf(row: Row): z.input<typeof persona> {
  return {
    personaId: row.id,
    campaignId: row.campaign_id,
    name: row.name,
    description: row.description,
    painPoints: row.pain_points,
    goals: row.goals,
    objections: row.objections,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}
