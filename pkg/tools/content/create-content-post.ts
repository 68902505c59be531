import { z } from 'zod';
import { previewOf } from '../../domain/content/post-text.ts';
import { insertPost, markPost } from '../../store/content/content-posts.ts';
import { actorOf } from '../actor-of.ts';
import { requireCampaignOf } from '../lead-lists/list-row.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { makerOf } from './deciders.ts';
import { setMedia } from './media-job.ts';
import {
  chooseAccount,
  firstCommentParam,
  mediaOf,
  mediaParams,
  previewRecord,
  requireWords,
  textParam,
} from './post-input.ts';
import { warningsOf } from './warnings.ts';
import { timezoneParam, whenOf, whenParam } from './when.ts';

export const createContentPost = tool({
  name: 'svc_create_content_post',
  domain: 'Content',
  title: 'Create content post',
  description: 'Creates a draft. Next: svc_submit_content_for_approval or svc_schedule_content_post.',
  example: {
    input: { text: 'What we learned from 100 cold messages.', firstComment: 'The numbers are in our report.' },
    keep: { contentPostId: 'contentPostId' },
    other: { text: 'What we learned from 200 cold messages.' },
  },
  scope: 'content:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    text: textParam,
    ...mediaParams,
    networkAccountId: z.string().min(1).optional(),
    campaignId: z.string().min(1).optional(),
    firstComment: firstCommentParam,
    scheduledAt: whenParam.optional().describe('A wish; takes effect on approval or scheduling.'),
    timezone: timezoneParam,
    idempotencyKey: z.string().min(1).max(128).optional(),
  }),
  output: z.object({
    contentPostId: z.string(),
    state: z.string(),
    preview: previewRecord,
    warnings: z.array(z.string()),
  }),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const now = ctx.clocks.product.now();
    const text = requireWords('text', input.text);
    const media = mediaOf(input);
    return ctx.create(workspaceId, async (tx) => {
      await requireCampaignOf(tx, input.campaignId, workspaceId);
      const accountId = await chooseAccount(tx, workspaceId, input.networkAccountId);
      const when =
        input.scheduledAt === undefined
          ? null
          : await whenOf(tx, { scheduledAt: input.scheduledAt, timezone: input.timezone }, accountId, now);
      const id = ctx.ids.uuid();
      const maker = await makerOf(ctx, tx);
      await insertPost(tx, {
        id,
        workspaceId,
        campaignId: input.campaignId ?? null,
        accountId,
        text,
        firstComment: input.firstComment?.trim() ? input.firstComment : null,
        scheduledAt: when?.at ?? null,
        localAt: when?.localAt ?? null,
        timezone: when?.timezone ?? null,
        authors: maker === null ? [] : [maker],
        madeBy: actorOf(ctx),
        now,
      });
      await setMedia(ctx, tx, { id, workspaceId }, media);
      await markPost(tx, { id, workspaceId }, { at: now, kind: 'created', actor: actorOf(ctx), text: '', data: {} });
      const warnings = await warningsOf(tx, { id, accountId, text, at: when?.at ?? null }, now);
      return { contentPostId: id, state: 'draft', preview: previewOf(text, media.length), warnings };
    });
  },
});
