import { z } from 'zod';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceOrCampaign } from '../workspace-param.ts';
import { listedPhase, PHASE_FORM, type PhaseRow, phaseOf } from './phase-row.ts';

export const listPhases = tool({
  name: 'svc_list_phases',
  domain: 'Personas & Phases',
  title: 'List phases',
  description: 'Lists the phases of a campaign in order. Next: svc_get_phase.',
  example: { input: { campaignId: '$campaignId' } },
  scope: 'campaigns:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param_or_campaign',
  input: z.strictObject({ ...workspaceOrCampaign, ...detailParam, ...pageParams }),
  output: z.object({ phases: z.array(listedPhase), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const page = await ctx.tx(async (tx) => {
      if (input.campaignId !== undefined) await requireCampaign(tx, input.campaignId);
      return pageOf(
        ctx,
        'svc_list_phases',
        input,
        { workspaceId: ctx.workspaceId, campaignId: input.campaignId },
        (position, fetch) =>
          tx.rows<PhaseRow>(
            `select p.* from phase p join campaign c on c.id = p.campaign_id and c.deleted_at is null
             where ($1 = '' or p.workspace_id = $1) and ($2::text is null or p.campaign_id = $2)
               and ($3::text is null or (p.campaign_id, p.position, p.id) > ($3, $4::int, $5::uuid))
             order by p.campaign_id, p.position, p.id limit $6`,
            [
              ctx.workspaceId,
              input.campaignId ?? null,
              position?.[0] ?? null,
              position?.[1] ?? null,
              position?.[2] ?? null,
              fetch,
            ],
          ),
        (row) => [row.campaign_id, row.position, row.id],
      );
    });
    const shape = shaper(PHASE_FORM, input);
    const phases = page.rows.map((row) => ({ ...shape(phaseOf(row)), phaseId: row.id }));
    return { phases, nextCursor: page.nextCursor };
  },
});
