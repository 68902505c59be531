import { z } from 'zod';
import { stopActions } from '../../store/actions/actions.ts';
import { deletePost } from '../../store/content/content-posts.ts';
import { tool } from '../tool.ts';
import { requireDeed } from './post-refusals.ts';
import { requirePost } from './post-row.ts';

export const deleteContentPost = tool({
  name: 'svc_delete_content_post',
  domain: 'Content',
  title: 'Delete content post',
  description: 'Deletes a post that is not published. Next: svc_list_content_posts.',
  example: { input: { contentPostId: '$contentPostId' } },
  scope: 'content:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ contentPostId: z.string().min(1) }),
  output: z.object({ contentPostId: z.string(), deleted: z.boolean() }),
  async run(ctx, { contentPostId }) {
    return ctx.tx(async (tx) => {
      const post = await requirePost(tx, contentPostId, true);
      requireDeed(post, { kind: 'delete' });
      await deletePost(tx, post.id);
      if (post.actionId) await stopActions(tx, [post.actionId], ctx.clocks.product.now(), 'the post was deleted');
      return { contentPostId, deleted: true };
    });
  },
});
