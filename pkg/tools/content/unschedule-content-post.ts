import { z } from 'zod';
import { stopActions } from '../../store/actions/actions.ts';
import { changePost, markPost } from '../../store/content/content-posts.ts';
import { actorOf } from '../actor-of.ts';
import { tool } from '../tool.ts';
import { requireDeed } from './post-refusals.ts';
import { requirePost } from './post-row.ts';

export const unscheduleContentPost = tool({
  name: 'svc_unschedule_content_post',
  domain: 'Content',
  title: 'Unschedule content post',
  description:
    'Takes a scheduled post back to draft, keeping its approval; also clears a failed one. Next: svc_update_content_post.',
  example: { input: { contentPostId: '$scheduledPostId' } },
  scope: 'content:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ contentPostId: z.string().min(1) }),
  output: z.object({ contentPostId: z.string(), state: z.string() }),
  async run(ctx, { contentPostId }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const post = await requirePost(tx, contentPostId, true);
      const { state } = requireDeed(post, { kind: 'unschedule' });
      await changePost(tx, post.id, { state, failure: null, actionId: null }, now);
      if (post.actionId) await stopActions(tx, [post.actionId], now, 'the post was taken back to draft');
      await markPost(tx, post, { at: now, kind: 'unscheduled', actor: actorOf(ctx), text: '', data: {} });
      return { contentPostId, state };
    });
  },
});
