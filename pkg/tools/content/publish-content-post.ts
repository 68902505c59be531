import { z } from 'zod';
import { type ContentPost, changePost, markPost } from '../../store/content/content-posts.ts';
import { actorOf } from '../actor-of.ts';
import { tool } from '../tool.ts';
import { isCleared } from './cleared.ts';
import { planPart } from './plan-part.ts';
import { requireHealthy } from './post-input.ts';
import { requireDeed } from './post-refusals.ts';
import { requirePost } from './post-row.ts';

export const publishContentPost = tool({
  name: 'svc_publish_content_post',
  domain: 'Content',
  title: 'Publish content post now',
  description:
    'Publishes an approved (or approval-free) draft or a scheduled post at once; never twice. Next: svc_get_content_analytics.',
  example: { input: { contentPostId: '$goingPostId' } },
  scope: 'content:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'record',
  input: z.strictObject({ contentPostId: z.string().min(1) }),
  output: z.object({
    contentPostId: z.string(),
    state: z.string(),
    publishedAt: z.string().nullable(),
    externalUrl: z.string().nullable(),
  }),
  async run(ctx, { contentPostId }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const post = await requirePost(tx, contentPostId, true);
      const answer = { contentPostId, publishedAt: null, externalUrl: null };
      // It is on its way: the same call again finds it there.
      if (post.state === 'scheduled' && (post.sendState !== null || isDue(post, now)))
        return { ...answer, state: post.state };
      const { state } = requireDeed(post, { kind: 'publish', cleared: await isCleared(tx, post) });
      await requireHealthy(tx, post.accountId);
      const time = { scheduledAt: now, localAt: null, timezone: null };
      await changePost(tx, post.id, { state, ...time, failure: null }, now);
      await planPart(ctx, tx, post, { part: 'post', at: now });
      await markPost(tx, post, { at: now, kind: 'publish_asked', actor: actorOf(ctx), text: '', data: {} });
      return { ...answer, state };
    });
  },
});

/** Its time has come, and nothing failed: the executor is about to publish it. */
function isDue(post: ContentPost, now: number): boolean {
  return post.failure === null && post.actionId !== null && post.scheduledAt !== null && post.scheduledAt <= now;
}
