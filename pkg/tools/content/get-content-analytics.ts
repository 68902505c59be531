import { z } from 'zod';
import { metricsOf, type PostMetrics } from '../../store/content/content-samples.ts';
import { invalidInput } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { dateTime, isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { requirePost } from './post-row.ts';

/** Published posts that the totals sum up. */
const MOST_SUMMED = 1_000;

/** Catalog record ContentMetrics. */
const contentMetrics = z.object({
  contentPostId: z.string().nullable(),
  impressions: z.number().nullable(),
  reactions: z.number().nullable(),
  comments: z.number().nullable(),
  reposts: z.number().nullable(),
  leadsEngaged: z.number(),
  leadsWon: z.number(),
  asOf: z.string().nullable().describe('When the network showed these totals.'),
});

export const getContentAnalytics = tool({
  name: 'svc_get_content_analytics',
  domain: 'Content',
  title: 'Get content analytics',
  description: 'Views, reactions, comments and leads won per published post. Next: svc_duplicate_content_post.',
  example: { input: {} },
  scope: 'content:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    contentPostId: z.string().min(1).optional(),
    fromDate: dateTime.optional(),
    toDate: dateTime.optional(),
    ...pageParams,
  }),
  output: z.object({ posts: z.array(contentMetrics), totals: contentMetrics, nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const from = input.fromDate === undefined ? null : Date.parse(input.fromDate);
    const until = input.toDate === undefined ? null : Date.parse(input.toDate);
    if (from !== null && until !== null && until <= from) throw invalidInput('toDate', 'must lie after fromDate');
    const of = { workspaceId, postId: input.contentPostId ?? null, from, until };
    return ctx.tx(async (tx) => {
      if (input.contentPostId !== undefined) await requirePost(tx, input.contentPostId);
      const page = await pageOf(
        ctx,
        'svc_get_content_analytics',
        input,
        of,
        (after, limit) => metricsOf(tx, of, { after, limit }),
        (row) => [row.publishedAt, row.id],
      );
      const isWhole = input.cursor === undefined && page.nextCursor === null;
      const all = isWhole ? page.rows : await metricsOf(tx, of, { after: null, limit: MOST_SUMMED });
      return { posts: page.rows.map(recordOf), totals: totalsOf(all), nextCursor: page.nextCursor };
    });
  },
});

function recordOf(row: PostMetrics): z.input<typeof contentMetrics> {
  const { id, publishedAt: _at, asOf, ...rest } = row;
  return { contentPostId: id, ...rest, asOf: isoOrNull(asOf) };
}

/** Sums of what is known; as old as the oldest of them. */
function totalsOf(rows: readonly PostMetrics[]): z.input<typeof contentMetrics> {
  const sum = (of: (row: PostMetrics) => number | null): number | null => {
    const known = rows.map(of).filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((one, other) => one + other, 0);
  };
  const looked = rows.map((row) => row.asOf).filter((at) => at !== null);
  return {
    contentPostId: null,
    impressions: sum((row) => row.impressions),
    reactions: sum((row) => row.reactions),
    comments: sum((row) => row.comments),
    reposts: sum((row) => row.reposts),
    leadsEngaged: rows.reduce((all, row) => all + row.leadsEngaged, 0),
    leadsWon: rows.reduce((all, row) => all + row.leadsWon, 0),
    asOf: looked.length === 0 ? null : isoOrNull(Math.min(...looked)),
  };
}
