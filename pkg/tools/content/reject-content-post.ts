import { z } from 'zod';
import { changePost, markPost, tellPost } from '../../store/content/content-posts.ts';
import { actorOf } from '../actor-of.ts';
import { tool } from '../tool.ts';
import { makerOf } from './deciders.ts';
import { requireDeed } from './post-refusals.ts';
import { requirePost } from './post-row.ts';

export const rejectContentPost = tool({
  name: 'svc_reject_content_post',
  domain: 'Content',
  title: 'Reject content post',
  description: 'Sends a post in review back to draft with a reason. Next: svc_update_content_post.',
  example: { input: { contentPostId: '$otherPostInReviewId', reason: 'The numbers are those of last year.' } },
  scope: 'content:write',
  decidesDrafts: true,
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ contentPostId: z.string().min(1), reason: z.string().min(1).max(1_000) }),
  output: z.object({ contentPostId: z.string(), state: z.string() }),
  async run(ctx, { contentPostId, reason }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const post = await requirePost(tx, contentPostId, true);
      const { state, approved } = requireDeed(post, { kind: 'reject' });
      const actor = actorOf(ctx);
      const who = { decidedAt: now, decidedBy: actor, decidedByUser: await makerOf(ctx, tx), reason };
      await changePost(tx, post.id, { state, approved, ...who }, now);
      await markPost(tx, post, { at: now, kind: 'rejected', actor, text: reason, data: { version: post.version } });
      await tellPost(tx, post, { kind: 'content.rejected', at: now, actor, text: reason });
      return { contentPostId, state };
    });
  },
});
