import { z } from 'zod';
import { changePost, markPost } from '../../store/content/content-posts.ts';
import { actorOf } from '../actor-of.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { isCleared } from './cleared.ts';
import { planPart } from './plan-part.ts';
import { requireHealthy } from './post-input.ts';
import { requireDeed } from './post-refusals.ts';
import { requirePost } from './post-row.ts';
import { warningsOf } from './warnings.ts';
import { timezoneParam, whenOf, whenParam } from './when.ts';

export const scheduleContentPost = tool({
  name: 'svc_schedule_content_post',
  domain: 'Content',
  title: 'Schedule content post',
  description:
    'Sets the publish time: draft to scheduled (approval needed when the workspace demands it); a scheduled post is moved. Next: svc_get_content_calendar.',
  example: {
    input: { contentPostId: '$contentPostId', scheduledAt: '2026-03-05T09:00:00' },
    after: ['svc_update_content_post'],
  },
  scope: 'content:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    contentPostId: z.string().min(1),
    scheduledAt: whenParam.describe(
      'In the future, at most 365 days; without offset: local time, kept when clocks change.',
    ),
    timezone: timezoneParam,
  }),
  output: z.object({
    contentPostId: z.string(),
    state: z.string(),
    scheduledAt: z.string(),
    localTime: z.string().nullable(),
    adjustedFrom: z.string().nullable(),
    warnings: z.array(z.string()),
  }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const post = await requirePost(tx, input.contentPostId, true);
      const { state } = requireDeed(post, { kind: 'schedule', cleared: await isCleared(tx, post) });
      await requireHealthy(tx, post.accountId);
      const when = await whenOf(tx, input, post.accountId, now);
      const { at, localAt, timezone, adjustedFrom } = when;
      const about = { id: post.id, accountId: post.accountId, text: post.text, at };
      const warnings = await warningsOf(tx, about, now);
      const answer = {
        contentPostId: post.id,
        state,
        scheduledAt: iso(at),
        localTime: localAt,
        adjustedFrom,
        warnings,
      };
      const isSet = post.scheduledAt === at && post.localAt === localAt && post.timezone === timezone;
      // The same call again: it is planned for then.
      if (post.state === 'scheduled' && post.failure === null && isSet) return answer;
      await changePost(tx, post.id, { state, scheduledAt: at, localAt, timezone, failure: null }, now);
      await planPart(ctx, tx, post, { part: 'post', at });
      const data = { scheduledAt: iso(at), ...(localAt ? { localTime: localAt } : {}) };
      await markPost(tx, post, { at: now, kind: 'scheduled', actor: actorOf(ctx), text: '', data });
      return answer;
    });
  },
});
