import { z } from 'zod';
import { mediaOf } from '../../store/content/content-media.ts';
import { insertPost, markPost } from '../../store/content/content-posts.ts';
import { actorOf } from '../actor-of.ts';
import { tool } from '../tool.ts';
import { makerOf } from './deciders.ts';
import { setMedia } from './media-job.ts';
import { requirePost } from './post-row.ts';

export const duplicateContentPost = tool({
  name: 'svc_duplicate_content_post',
  domain: 'Content',
  title: 'Duplicate content post',
  description: 'Copies any post into a new draft. Next: svc_update_content_post.',
  example: { input: { contentPostId: '$contentPostId' } },
  scope: 'content:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ contentPostId: z.string().min(1) }),
  output: z.object({ contentPostId: z.string(), state: z.string() }),
  async run(ctx, { contentPostId }) {
    const now = ctx.clocks.product.now();
    const { workspaceId } = await ctx.tx((tx) => requirePost(tx, contentPostId));
    return ctx.create(workspaceId, async (tx) => {
      const post = await requirePost(tx, contentPostId);
      const maker = await makerOf(ctx, tx);
      const copy = { id: ctx.ids.uuid(), workspaceId };
      await insertPost(tx, {
        ...copy,
        campaignId: post.campaignId,
        accountId: post.accountId,
        text: post.text,
        firstComment: post.firstComment,
        scheduledAt: null,
        localAt: null,
        timezone: null,
        authors: maker === null ? [] : [maker],
        madeBy: actorOf(ctx),
        now,
      });
      await setMedia(ctx, tx, copy, await mediaOf(tx, post.id));
      const data = { copyOf: post.id };
      await markPost(tx, copy, { at: now, kind: 'created', actor: actorOf(ctx), text: '', data });
      return { contentPostId: copy.id, state: 'draft' };
    });
  },
});
