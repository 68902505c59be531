import { z } from 'zod';
import { previewOf } from '../../domain/content/post-text.ts';
import type { Tx } from '../../postgres/database.ts';
import { mediaOf as mediaOfPost } from '../../store/content/content-media.ts';
import { type ContentPost, changePost, markPost, type PostChange } from '../../store/content/content-posts.ts';
import { actorOf } from '../actor-of.ts';
import { wrongState } from '../errors.ts';
import { requireAccountOf } from '../network-accounts/account-row.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { makerOf } from './deciders.ts';
import { setMedia } from './media-job.ts';
import { firstCommentParam, mediaOf, mediaParams, previewRecord, requireWords, textParam } from './post-input.ts';
import { requireDeed } from './post-refusals.ts';
import { requirePost } from './post-row.ts';
import { warningsOf } from './warnings.ts';
import { timezoneParam, whenOf, whenParam } from './when.ts';

const input = z.strictObject({
  contentPostId: z.string().min(1),
  text: textParam.optional(),
  ...mediaParams,
  networkAccountId: z.string().min(1).optional(),
  firstComment: firstCommentParam,
  scheduledAt: whenParam.optional(),
  timezone: timezoneParam,
  expectedVersion: z.int().min(1).optional(),
});
type Input = z.output<typeof input>;

export const updateContentPost = tool({
  name: 'svc_update_content_post',
  domain: 'Content',
  title: 'Update content post',
  description:
    'Changes a draft, or a post in review (which withdraws any approval). Next: svc_submit_content_for_approval.',
  example: { input: { contentPostId: '$contentPostId', text: 'What we learned from 100 cold messages, in short.' } },
  scope: 'content:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input,
  output: z.object({
    contentPostId: z.string(),
    state: z.string(),
    version: z.number(),
    preview: previewRecord,
    warnings: z.array(z.string()),
  }),
  async run(ctx, given) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const post = await requirePost(tx, given.contentPostId, true);
      const { media, content, change } = await changesOf(tx, post, given, now);
      const standing = requireDeed(post, { kind: 'update', content });
      if (given.expectedVersion !== undefined && given.expectedVersion !== post.version)
        throw wrongState(
          `The post is at version ${post.version}, not ${given.expectedVersion}`,
          'svc_get_content_post',
        );
      const version = post.version + (content ? 1 : 0);
      if (content) await keepContent(ctx, tx, post, { ...change, version, approved: standing.approved }, now);
      else if (Object.keys(change).length > 0) await changePost(tx, post.id, change, now);
      if (media) await setMedia(ctx, tx, post, media);
      const count = media?.length ?? (await mediaOfPost(tx, post.id)).length;
      const text = change.text ?? post.text;
      const at = change.scheduledAt ?? post.scheduledAt;
      const accountId = change.accountId ?? post.accountId;
      const warnings = await warningsOf(tx, { id: post.id, accountId, text, at }, now);
      return { contentPostId: post.id, state: standing.state, version, preview: previewOf(text, count), warnings };
    });
  },
});

interface Changes {
  change: PostChange;
  /** Media that take the place of the present ones; null: they stay. */
  media: { url: string; alt: string }[] | null;
  /** Others will see something else, or somebody else's. */
  content: boolean;
}

/** What of it is new: a call that is made again changes nothing. */
async function changesOf(tx: Tx, post: ContentPost, given: Input, now: number): Promise<Changes> {
  const change: PostChange = {};
  const { text, firstComment, networkAccountId } = given;
  if (text !== undefined && requireWords('text', text) !== post.text) change.text = text;
  const comment = firstComment === undefined ? undefined : firstComment.trim() === '' ? null : firstComment;
  if (comment !== undefined && comment !== post.firstComment) change.firstComment = comment;
  if (networkAccountId !== undefined && networkAccountId !== post.accountId)
    change.accountId = await requireAccountOf(tx, post.workspaceId, networkAccountId);
  const media = await newMedia(tx, post, given);
  const content = media !== null || Object.keys(change).length > 0;
  if (given.scheduledAt !== undefined) {
    const time = { scheduledAt: given.scheduledAt, timezone: given.timezone };
    const when = await whenOf(tx, time, change.accountId ?? post.accountId, now);
    const { at, localAt, timezone } = when;
    if (at !== post.scheduledAt || localAt !== post.localAt || timezone !== post.timezone)
      Object.assign(change, { scheduledAt: at, localAt, timezone });
  }
  return { change, media, content };
}

async function newMedia(tx: Tx, post: ContentPost, given: Input): Promise<Changes['media']> {
  if (given.mediaUrls === undefined && given.altTexts === undefined) return null;
  const present = (await mediaOfPost(tx, post.id)).map(({ url, alt }) => ({ url, alt }));
  const mediaUrls = given.mediaUrls ?? present.map((one) => one.url);
  const wanted = mediaOf({ mediaUrls, altTexts: given.altTexts });
  return JSON.stringify(wanted) === JSON.stringify(present) ? null : wanted;
}

/** Who edits becomes an author too; an approval is withdrawn. */
async function keepContent(
  ctx: ToolContext,
  tx: Tx,
  post: ContentPost,
  change: PostChange,
  now: number,
): Promise<void> {
  const maker = await makerOf(ctx, tx);
  const authors = [...new Set([...post.authors, ...(maker === null ? [] : [maker])])];
  await changePost(tx, post.id, { ...change, authors }, now);
  const data = { version: change.version ?? post.version };
  await markPost(tx, post, { at: now, kind: 'edited', actor: actorOf(ctx), text: '', data });
}
