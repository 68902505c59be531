import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { requireCampaign, settingsOf } from '../campaigns/campaign-row.ts';
import { notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { leadScore } from '../records/lead.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { type IcpRow, requireIcp } from './icp-row.ts';

/** Catalog record ScoreDistribution. */
const distribution = z.object({
  count: z.number(),
  mean: z.number(),
  deciles: z.array(z.number()),
  inCampaign: z.number(),
});

interface Row {
  lead_id: string;
  icp_score: number;
  signal_score: number;
  total: number;
  reasons: z.input<typeof leadScore>['reasons'];
  computed_at: number;
}

export const getIcpScores = tool({
  name: 'svc_get_icp_scores',
  domain: 'ICPs',
  title: 'Get ICP scores',
  description:
    'Pages lead scores of one ICP: ICP match, signal score, total, in or out of the campaign, and the reasons. Next: svc_update_campaign (scoreMin) or svc_trigger_workflow.',
  example: { input: { icpId: '$icpId', minTotal: 10 } },
  scope: 'icps:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    icpId: z.string().min(1),
    leadId: z.string().min(1).optional(),
    minTotal: z.number().min(0).max(200).optional(),
    inCampaignOnly: z.boolean().default(false),
    ...pageParams,
  }),
  output: z.object({ scores: z.array(leadScore), stats: distribution, nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const icp = await requireIcp(tx, input.icpId);
      const { scoreMin } = settingsOf(await requireCampaign(tx, icp.campaign_id));
      if (input.leadId !== undefined) {
        const lead = isUuid(input.leadId)
          ? await tx.row('select 1 from lead where id = $1', [input.leadId])
          : undefined;
        if (!lead) throw notFound('lead', input.leadId);
      }
      const least = Math.max(input.minTotal ?? 0, input.inCampaignOnly ? scoreMin : 0);
      const page = await pageOf(
        ctx,
        'svc_get_icp_scores',
        input,
        { icpId: icp.id, leadId: input.leadId, least },
        (position, fetch) =>
          tx.rows<Row>(
            `select *
             from lead_score
             where campaign_id = $7
               and icp_id = $1
               and ($2::uuid is null or lead_id = $2)
               and total >= $3::float8
               and ($4::real is null or (total, lead_id) < ($4, $5::uuid))
             order by total desc, lead_id desc limit $6`,
            [icp.id, input.leadId ?? null, least, position?.[0] ?? null, position?.[1] ?? null, fetch, icp.campaign_id],
          ),
        (row) => [row.total, row.lead_id],
      );
      return {
        scores: page.rows.map((row) => scoreOf(row, icp, scoreMin)),
        stats: await statsOf(tx, icp, scoreMin),
        nextCursor: page.nextCursor,
      };
    });
  },
});

function scoreOf(row: Row, icp: IcpRow, scoreMin: number): z.input<typeof leadScore> {
  return {
    leadId: row.lead_id,
    icpId: icp.id,
    campaignId: icp.campaign_id,
    icpScore: row.icp_score,
    signalScore: row.signal_score,
    total: row.total,
    inCampaign: row.total >= scoreMin,
    reasons: row.reasons,
    computedAt: iso(row.computed_at),
    stale: icp.scores_stale,
  };
}

async function statsOf(tx: Tx, icp: IcpRow, scoreMin: number): Promise<z.input<typeof distribution>> {
  const row = await tx.row<{ count: number; mean: number | null; in_campaign: number; deciles: number[] | null }>(
    'select * from app.icp_score_stats($1, $2::float8)',
    [icp.id, scoreMin],
  );
  return {
    count: row?.count ?? 0,
    mean: row?.mean ?? 0,
    deciles: row?.deciles ?? Array.from({ length: 10 }, () => 0),
    inCampaign: row?.in_campaign ?? 0,
  };
}
