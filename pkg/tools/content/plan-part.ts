import { MISSED_AFTER_MS } from '../../domain/content/late-post.ts';
import type { Tx } from '../../postgres/database.ts';
import { type ContentPost, planPost } from '../../store/content/content-posts.ts';
import { actorOf } from '../actor-of.ts';
import type { ToolContext } from '../tool-context.ts';
import { postRefusal } from './post-refusals.ts';

const DAY_MS = 86_400_000;

/**
 * Plans that a part of a post goes out; the executor performs it through the ledger.
 * @param plan `at`: epoch ms, product time
 * @throws UserError when it is on its way, or online
 */
export async function planPart(
  ctx: ToolContext,
  tx: Tx,
  post: ContentPost,
  plan: { part: 'post' | 'comment'; at: number },
): Promise<void> {
  const refusal = await planPost(
    tx,
    post.id,
    {
      part: plan.part,
      id: ctx.ids.uuid(),
      dueAt: plan.at,
      expiresAt: plan.at + (plan.part === 'post' ? MISSED_AFTER_MS : DAY_MS),
      by: actorOf(ctx),
    },
    ctx.clocks.product.now(),
  );
  if (refusal === null) return;
  throw postRefusal(post, refusal === 'already_sent' ? 'published' : 'publishing');
}
