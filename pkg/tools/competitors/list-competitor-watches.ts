import { z } from 'zod';
import { newFindings } from '../../store/watches/watch-findings.ts';
import { creditsOfMonth, monthOf } from '../../store/watches/watch-month.ts';
import { watchesOf } from '../../store/watches/watches.ts';
import { detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { COMPETITOR_FORM, competitorOf, listedCompetitor } from './competitor-row.ts';

export const listCompetitorWatches = tool({
  name: 'svc_list_competitor_watches',
  domain: 'Competitors',
  title: 'List competitor watches',
  description:
    'Lists watched competitors with status and findings since the last look. Next: svc_get_competitor_watch.',
  example: { input: { status: 'active' } },
  scope: 'competitors:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    status: z.enum(['active', 'paused']).optional(),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ competitorWatches: z.array(listedCompetitor), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const now = ctx.clocks.product.now();
    const active = input.status === undefined ? null : input.status === 'active';
    const of = { workspaceId, kinds: ['competitor'] as const, active };
    const shape = shaper(COMPETITOR_FORM, { detail: input.detail });
    return ctx.tx(async (tx) => {
      const page = await pageOf(
        ctx,
        'svc_list_competitor_watches',
        input,
        of,
        (after, limit) => watchesOf(tx, of, { after, limit }),
        (row) => [row.createdAt, row.id],
      );
      const ids = page.rows.map((watch) => watch.id);
      const found = await newFindings(tx, ids);
      const credits = await creditsOfMonth(tx, ids, monthOf(now, page.rows[0]?.timezone ?? 'UTC').month);
      const competitorWatches = page.rows.map((watch) => ({
        ...shape(competitorOf(watch, { findingsNew: found.get(watch.id) ?? 0, credits: credits.get(watch.id) ?? 0 })),
        competitorWatchId: watch.id,
      }));
      return { competitorWatches, nextCursor: page.nextCursor };
    });
  },
});
