import { z } from 'zod';
import {
  METRIC_GROUPS,
  type MetricCounts,
  metricLabels,
  metricRows,
  NO_FIGURES,
} from '../../store/figures/metric-rows.ts';
import { funnel, funnelOf, shortFunnel } from '../campaigns/funnel.ts';
import { type CompactForm, cut, detailParam, shaper } from '../compact.ts';
import { invalidInput } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { dateTime } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

/** Catalog record MetricRow. Days and weeks (their Monday) are UTC. */
const metricRow = z.object({
  key: z.string(),
  label: z.string(),
  funnel,
  creditsSpent: z.number(),
  creditsPerReply: z.number().nullable(),
  creditsPerMeeting: z.number().nullable(),
});

/** A row of a page: as much of it as the caller asked for. */
const listedRow = metricRow
  .partial()
  .required({ key: true })
  .extend({ funnel: funnel.extend({ rates: funnel.shape.rates.partial().optional() }).optional() });

/** Without rates and costs of too few cases. */
const METRIC_FORM: CompactForm = {
  id: 'key',
  known: Object.keys(metricRow.shape),
  kept: ['label', 'funnel', 'creditsSpent', 'creditsPerReply', 'creditsPerMeeting'],
  short: { label: (label: string) => cut(label, 40), funnel: shortFunnel },
};

export const getWorkspaceMetrics = tool({
  name: 'svc_get_workspace_metrics',
  domain: 'Metrics & Billing',
  title: 'Get workspace metrics',
  description:
    'Funnel, reply and acceptance rates, cost per reply and per meeting, by campaign, account or day. Next: svc_get_campaign_stats.',
  example: { input: { fromDate: '2026-02-01T00:00:00Z', toDate: '2026-03-01T00:00:00Z', groupBy: 'campaign' } },
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    fromDate: dateTime.optional(),
    toDate: dateTime.optional(),
    groupBy: z.enum(METRIC_GROUPS).default('campaign'),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ rows: z.array(listedRow), totals: funnel, nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const from = input.fromDate === undefined ? 0 : Date.parse(input.fromDate);
    const to = input.toDate === undefined ? ctx.clocks.product.now() + 1 : Date.parse(input.toDate);
    if (from > to) throw invalidInput('fromDate', 'is after toDate');
    const filters = { workspaceId, from: input.fromDate, to: input.toDate, groupBy: input.groupBy };
    const span = { workspaceId, from, to };
    const shape = shaper(METRIC_FORM, input);
    return ctx.tx(async (tx) => {
      const page = await pageOf(
        ctx,
        'svc_get_workspace_metrics',
        input,
        filters,
        (position, fetch) =>
          metricRows(tx, { ...span, group: input.groupBy, after: (position?.[0] as string) ?? null, limit: fetch }),
        (row) => [row.key],
      );
      const keys = page.rows.map((row) => row.key);
      const labels = await metricLabels(tx, workspaceId, input.groupBy, keys);
      const [all] = await metricRows(tx, { ...span, group: 'all', after: null, limit: 1 });
      return {
        rows: page.rows.map((row) => ({ ...shape(rowOf(row, labels.get(row.key) ?? row.key)), key: row.key })),
        totals: funnelOf(countsOf(all ?? { key: 'all', ...NO_FIGURES })),
        nextCursor: page.nextCursor,
      };
    });
  },
});

function countsOf({ key: _, credits: __, ...counts }: MetricCounts): Parameters<typeof funnelOf>[0] {
  return counts;
}

/** Costs per reply are null where there is no reply; meetings come with the calendar, until then there is none. */
function rowOf(row: MetricCounts, label: string): z.input<typeof metricRow> {
  const shown = funnelOf(countsOf(row));
  const per = (count: number): number | null => (count === 0 ? null : Math.round((row.credits / count) * 100) / 100);
  return {
    key: row.key,
    label,
    funnel: shown,
    creditsSpent: row.credits,
    creditsPerReply: per(shown.replied),
    creditsPerMeeting: per(shown.meetings),
  };
}
