import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { type CampaignRow, requireCampaign, settingsOf } from '../campaigns/campaign-row.ts';
import { type CompactForm, detailParam, shaper } from '../compact.ts';
import { notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { icpName, leadScore } from '../records/lead.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { criteriaOf, type IcpRow, requireIcp } from './icp-row.ts';

/** Catalog record ScoreDistribution. */
const distribution = z.object({
  count: z.number(),
  mean: z.number(),
  deciles: z.array(z.number()),
  inCampaign: z.number(),
});

type Reasons = z.input<typeof leadScore>['reasons'];

/** A score of a page: as much of it as the caller asked for. */
const listedScore = leadScore
  .partial()
  .required({ leadId: true })
  .extend({ reasons: z.array(leadScore.shape.reasons.element.partial()).optional() });

/** The points of each criterion that gave some; what all share stands once, in `stats` and the ICP. */
const SCORE_FORM: CompactForm = {
  id: 'leadId',
  known: Object.keys(leadScore.shape),
  kept: ['leadName', 'icpScore', 'signalScore', 'total', 'inCampaign', 'reasons'],
  short: {
    reasons: (reasons: Reasons) =>
      reasons.filter((one) => one.points !== 0).map(({ criterion, points }) => ({ criterion, points })),
  },
};

interface Row {
  lead_id: string;
  lead_name: string;
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
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ scores: z.array(listedScore), stats: distribution, nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const icp = await requireIcp(tx, input.icpId);
      const campaign = await requireCampaign(tx, icp.campaign_id);
      const { scoreMin } = settingsOf(campaign);
      const shape = shaper(SCORE_FORM, input);
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
            `select x.*, coalesce(l.full_name, '') as lead_name
             from (
               select *
               from lead_score
               where campaign_id = $7
                 and icp_id = $1
                 and ($2::uuid is null or lead_id = $2)
                 and total >= $3::float8
                 and ($4::real is null or (total, lead_id) < ($4, $5::uuid))
               order by total desc, lead_id desc limit $6
             ) x
             left join lead l on l.id = x.lead_id and l.erased_at is null
             order by x.total desc, x.lead_id desc`,
            [icp.id, input.leadId ?? null, least, position?.[0] ?? null, position?.[1] ?? null, fetch, icp.campaign_id],
          ),
        (row) => [row.total, row.lead_id],
      );
      return {
        scores: page.rows.map((row) => ({
          ...shape(scoreOf(row, icp, campaign, scoreMin)),
          leadId: row.lead_id,
        })),
        stats: await statsOf(tx, icp, scoreMin),
        nextCursor: page.nextCursor,
      };
    });
  },
});

function scoreOf(row: Row, icp: IcpRow, campaign: CampaignRow, scoreMin: number): z.input<typeof leadScore> {
  return {
    leadId: row.lead_id,
    leadName: row.lead_name,
    icpId: icp.id,
    icpName: icpName(criteriaOf(icp)),
    campaignId: icp.campaign_id,
    campaignTitle: campaign.title,
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
