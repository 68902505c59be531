import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { boundedHistory } from '../bounded-search.ts';
import { invalidInput } from '../errors.ts';
import { dateTime, iso } from '../times.ts';
import { tool } from '../tool.ts';
import { type CampaignRow, requireCampaign } from './campaign-row.ts';
import { EMPTY, funnel, funnelOf, funnelsOf } from './funnel.ts';

/** Points of a series at most. */
const MAX_POINTS = 400;
const DAY_MS = 86_400_000;
/** Length of a point of the series, ms; null: no series. */
const STEPS = { total: null, day: DAY_MS, week: 7 * DAY_MS } as const;

export const getCampaignStats = tool({
  name: 'svc_get_campaign_stats',
  domain: 'Campaigns',
  title: 'Get campaign stats',
  description:
    'Funnel of one campaign (pool, contacted, accepted, replied, positive, meetings, suppressed) with credits spent; use to report progress. Next: svc_get_workflow_stats.',
  example: { input: { campaignId: '$campaignId', granularity: 'week' } },
  scope: 'campaigns:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    campaignId: z.string().min(1),
    fromDate: dateTime.optional(),
    toDate: dateTime.optional(),
    granularity: z.enum(['total', 'day', 'week']).default('total'),
  }),
  output: z.object({
    campaignId: z.string(),
    funnel,
    series: z.array(z.object({ from: z.string(), to: z.string(), funnel })),
    creditsSpent: z.number(),
  }),
  async run(ctx, input) {
    const to = input.toDate === undefined ? ctx.clocks.product.now() + 1 : Date.parse(input.toDate);
    return ctx.tx(async (tx) => {
      const row = await requireCampaign(tx, input.campaignId);
      const from = input.fromDate === undefined ? row.created_at : Date.parse(input.fromDate);
      if (from > to) throw invalidInput('fromDate', 'is after toDate');
      const step = STEPS[input.granularity];
      if (step !== null && (to - from) / step > MAX_POINTS) {
        throw invalidInput('fromDate', `a series has ${MAX_POINTS} points at most; take weeks or a shorter span`);
      }
      const [total, ...points] = await boundedHistory(async () => [
        ...(await funnelsOf(tx, row, { from, to, step: Math.max(1, to - from) })).slice(0, 1),
        ...(step === null || from === to ? [] : await funnelsOf(tx, row, { from, to, step })),
      ]);
      const series = points.map((point, index) => {
        const start = from + index * (step ?? 0);
        return { from: iso(start), to: iso(Math.min(to, start + (step ?? 0))), funnel: point };
      });
      return {
        campaignId: row.id,
        funnel: total ?? funnelOf(EMPTY),
        series,
        creditsSpent: await creditsSpent(tx, row, from, to),
      };
    });
  },
});

async function creditsSpent(tx: Tx, row: CampaignRow, from: number, to: number): Promise<number> {
  const spent = await tx.row<{ credits: number }>(
    `select coalesce(-sum(amount), 0)::int as credits from credit_entry
     where workspace_id = $1 and campaign_id = $2 and kind in ('settle', 'refund') and at >= $3 and at < $4`,
    [row.workspace_id, row.id, from, to],
  );
  return spent?.credits ?? 0;
}
