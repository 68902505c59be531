import { z } from 'zod';
import { excludedLeads, newestFindings } from '../../store/watches/watch-findings.ts';
import { creditsOfMonth, monthOf } from '../../store/watches/watch-month.ts';
import { readTopics } from '../../store/watches/watch-topics.ts';
import { watchesOf } from '../../store/watches/watches.ts';
import { detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { listedSearchWatch, SEARCH_WATCH_FORM, searchWatchOf } from './search-watch-row.ts';

export const listSearchWatches = tool({
  name: 'svc_list_search_watches',
  domain: 'Topics & Search Watches',
  title: 'List topics and search watches',
  description:
    'Lists topic and search watches with their freshest hits and rising topics. Next: svc_search_leads or svc_queue_leads.',
  example: { input: { kind: 'topic' } },
  scope: 'competitors:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    kind: z.enum(['topic', 'search']).optional(),
    hitsPerWatch: z.int().min(0).max(20).default(5),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ searchWatches: z.array(listedSearchWatch), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const now = ctx.clocks.product.now();
    const of = { workspaceId, kinds: input.kind ? [input.kind] : (['topic', 'search'] as const), active: null };
    const shape = shaper(SEARCH_WATCH_FORM, { detail: input.detail });
    return ctx.tx(async (tx) => {
      const page = await pageOf(
        ctx,
        'svc_list_search_watches',
        input,
        of,
        (after, limit) => watchesOf(tx, of, { after, limit }),
        (row) => [row.createdAt, row.id],
      );
      const ids = page.rows.map((watch) => watch.id);
      const hits = await newestFindings(tx, ids, input.hitsPerWatch);
      const leadIds = hits.flatMap((hit) => hit.leadId ?? []);
      const excluded = await excludedLeads(tx, workspaceId, leadIds, now);
      const credits = await creditsOfMonth(tx, ids, monthOf(now, page.rows[0]?.timezone ?? 'UTC').month);
      const topics = await readTopics(tx, ids, now);
      const searchWatches = page.rows.map((watch) => {
        const record = searchWatchOf(watch, {
          hits: hits.filter((hit) => hit.watchId === watch.id),
          topics: topics.get(watch.id) ?? [],
          credits: credits.get(watch.id) ?? 0,
          excluded,
        });
        return { ...shape(record), searchWatchId: watch.id };
      });
      return { searchWatches, nextCursor: page.nextCursor };
    });
  },
});
