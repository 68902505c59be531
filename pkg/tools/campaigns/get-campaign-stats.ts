import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { invalidInput } from '../errors.ts';
import { dateTime, iso } from '../times.ts';
import { tool } from '../tool.ts';
import { type CampaignRow, requireCampaign, settingsOf } from './campaign-row.ts';

/** Catalog record Funnel; rates are null below 20 cases. */
const funnel = z.object({
  inPool: z.number(),
  enrolled: z.number(),
  contacted: z.number(),
  requested: z.number(),
  accepted: z.number(),
  replied: z.number(),
  positive: z.number(),
  meetings: z.number(),
  suppressed: z.number(),
  bounced: z.number(),
  rates: z.object({ acceptance: z.number().nullable(), reply: z.number().nullable(), positive: z.number().nullable() }),
});
type Funnel = z.input<typeof funnel>;

/** Points of a series at most. */
const MAX_POINTS = 400;
const DAY_MS = 86_400_000;

export const getCampaignStats = tool({
  name: 'svc_get_campaign_stats',
  domain: 'Campaigns',
  title: 'Get campaign stats',
  description:
    'Funnel of one campaign (pool, contacted, accepted, replied, positive, meetings, suppressed) with credits spent; use to report progress. Next: svc_get_workflow_stats.',
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
    const to = input.toDate === undefined ? ctx.clocks.product.now() : Date.parse(input.toDate);
    return ctx.tx(async (tx) => {
      const row = await requireCampaign(tx, input.campaignId);
      const from = input.fromDate === undefined ? row.created_at : Date.parse(input.fromDate);
      if (from > to) throw invalidInput('fromDate', 'is after toDate');
      const series = [];
      const step = input.granularity === 'day' ? DAY_MS : 7 * DAY_MS;
      if (input.granularity !== 'total') {
        if ((to - from) / step > MAX_POINTS)
          throw invalidInput('fromDate', `a series has ${MAX_POINTS} points at most; take weeks or a shorter span`);
        for (let at = from; at < to; at += step) {
          const end = Math.min(to, at + step);
          series.push({ from: iso(at), to: iso(end), funnel: await funnelOf(tx, row, at, end) });
        }
      }
      const spent = await tx.row<{ credits: number }>(
        `select coalesce(-sum(amount), 0)::int as credits from credit_entry where campaign_id = $1 and amount < 0 and at >= $2 and at < $3`,
        [row.id, from, to],
      );
      return {
        campaignId: row.id,
        funnel: await funnelOf(tx, row, from, to + 1),
        series,
        creditsSpent: spent?.credits ?? 0,
      };
    });
  },
});

async function funnelOf(tx: Tx, row: CampaignRow, from: number, to: number): Promise<Funnel> {
  const found = await tx.row<Omit<Funnel, 'rates' | 'meetings' | 'bounced'>>(
    `with runs as (select id, lead_id, state, facts, started_at from run where workspace_id = $1 and campaign_id = $2),
       events as (select e.run_id, e.kind, e.data from run_event e join runs r on r.id = e.run_id where e.workspace_id = $1 and e.at >= $3 and e.at < $4),
       done as (select lead_id, action from send where workspace_id = $1 and campaign_id = $2 and state = 'confirmed' and settled_at >= $3 and settled_at < $4)
     select (select count(distinct lead_id) from lead_score where campaign_id = $2 and total >= $5)::int as "inPool",
       (select count(*) from runs where started_at >= $3 and started_at < $4)::int as enrolled,
       (select count(distinct lead_id) from done where action in ('connection_request', 'message', 'inmail', 'comment'))::int as contacted,
       (select count(distinct lead_id) from done where action = 'connection_request')::int as requested,
       (select count(distinct run_id) from events where kind = 'connection.accepted')::int as accepted,
       (select count(distinct run_id) from events where kind = 'reply.received')::int as replied,
       (select count(distinct run_id) from events where kind = 'reply.received' and data ->> 'class' = 'positive')::int as positive,
       (select count(*) from runs where state = 'suppressed')::int as suppressed`,
    [row.workspace_id, row.id, from, to, settingsOf(row).scoreMin],
  );
  const counts = found ?? {
    inPool: 0,
    enrolled: 0,
    contacted: 0,
    requested: 0,
    accepted: 0,
    replied: 0,
    positive: 0,
    suppressed: 0,
  };
  const rate = (part: number, whole: number): number | null => (whole < 20 ? null : part / whole);
  return {
    ...counts,
    meetings: 0,
    bounced: 0,
    rates: {
      acceptance: rate(counts.accepted, counts.requested),
      reply: rate(counts.replied, counts.contacted),
      positive: rate(counts.positive, counts.replied),
    },
  };
}
