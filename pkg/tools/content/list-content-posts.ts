import { z } from 'zod';
import { POST_STATES } from '../../domain/content/post-state.ts';
import { mediaUrlsOf } from '../../store/content/content-media.ts';
import { postsOf } from '../../store/content/content-posts.ts';
import { detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { contentPostOf, listedPost, POST_FORM } from './post-row.ts';

export const listContentPosts = tool({
  name: 'svc_list_content_posts',
  domain: 'Content',
  title: 'List content posts',
  description: 'Lists posts by state. Next: svc_get_content_post.',
  example: { input: { state: 'draft' } },
  scope: 'content:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    state: z.enum(POST_STATES).optional(),
    failedOnly: z.boolean().default(false),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ contentPosts: z.array(listedPost), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const of = { workspaceId: ctx.workspaceId, state: input.state ?? null, failedOnly: input.failedOnly };
    const shape = shaper(POST_FORM, { detail: input.detail });
    return ctx.tx(async (tx) => {
      const page = await pageOf(
        ctx,
        'svc_list_content_posts',
        input,
        of,
        (after, limit) => postsOf(tx, of, { after, limit }),
        (row) => [row.createdAt, row.id],
      );
      const ids = page.rows.map((row) => row.id);
      const urls = await mediaUrlsOf(tx, ids);
      const contentPosts = page.rows.map((row) => ({
        ...shape(contentPostOf(row, urls.get(row.id) ?? [])),
        contentPostId: row.id,
      }));
      return { contentPosts, nextCursor: page.nextCursor };
    });
  },
});
