import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { type ContentPost, changePost, markPost } from '../../store/content/content-posts.ts';
import { actorOf } from '../actor-of.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { isCleared } from './cleared.ts';
import { planPart } from './plan-part.ts';
import { requireHealthy } from './post-input.ts';
import { postRefusal, requireDeed } from './post-refusals.ts';
import { requirePost } from './post-row.ts';
import { timezoneParam, whenOf, whenParam } from './when.ts';

export const retryContentPost = tool({
  name: 'svc_retry_content_post',
  domain: 'Content',
  title: 'Retry failed post',
  description:
    'Retries a scheduled post whose publishing failed, after looking up whether it did go out. Next: svc_get_content_post.',
  example: { input: { contentPostId: '$failedPostId' } },
  scope: 'content:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'record',
  input: z.strictObject({
    contentPostId: z.string().min(1),
    scheduledAt: whenParam.optional().describe('Default: now.'),
    timezone: timezoneParam,
  }),
  output: z.object({ contentPostId: z.string(), state: z.string(), scheduledAt: z.string() }),
  async run(ctx, { contentPostId, scheduledAt, timezone }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const post = await requirePost(tx, contentPostId, true);
      const { state } = requireDeed(post, { kind: 'retry' });
      await requireHealthy(tx, post.accountId);
      if (post.deadSendId) {
        await lookAgain(ctx, tx, post, post.deadSendId);
        return { contentPostId, state, scheduledAt: iso(post.scheduledAt ?? now) };
      }
      const when = scheduledAt === undefined ? null : await whenOf(tx, { scheduledAt, timezone }, post.accountId, now);
      const at = when?.at ?? now;
      await planAgain(ctx, tx, post, at);
      const clock = { localAt: when?.localAt ?? null, timezone: when?.timezone ?? null };
      const moved = post.state === 'published' ? {} : { scheduledAt: at, ...clock };
      await changePost(tx, post.id, { failure: null, ...moved }, now);
      await markPost(tx, post, { at: now, kind: 'retried', actor: actorOf(ctx), text: '', data: {} });
      return { contentPostId, state, scheduledAt: iso(at) };
    });
  },
});

/** What nobody knows is looked up again, and only that: whether it is published or tried again follows from what is found. */
async function lookAgain(ctx: ToolContext, tx: Tx, post: ContentPost, sendId: string): Promise<void> {
  const now = ctx.clocks.product.now();
  await tx.exec('select app.resolve_send($1::uuid, $2, $3, $4, $5)', [sendId, 'lookup', now, actorOf(ctx), 'retried']);
  await markPost(tx, post, { at: now, kind: 'looked_up', actor: actorOf(ctx), text: '', data: {} });
}

/** A post that is online lacks its first comment at most, and is never published again. */
async function planAgain(ctx: ToolContext, tx: Tx, post: ContentPost, at: number): Promise<void> {
  if (post.state === 'published') {
    if (post.failure?.part !== 'comment') throw postRefusal(post, 'published');
    return planPart(ctx, tx, post, { part: 'comment', at });
  }
  if (!(await isCleared(tx, post))) throw postRefusal(post, 'not_approved');
  return planPart(ctx, tx, post, { part: 'post', at });
}
