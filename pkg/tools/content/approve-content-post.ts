import { z } from 'zod';
import { type EyesRefusal, mayApprove } from '../../domain/content/four-eyes.ts';
import { bannedPhrasesIn } from '../../domain/review-flags.ts';
import type { Tx } from '../../postgres/database.ts';
import { readVoice } from '../../store/content/brand-voice.ts';
import { mediaOf } from '../../store/content/content-media.ts';
import { type ContentPost, changePost, markPost, tellPost } from '../../store/content/content-posts.ts';
import { actorOf } from '../actor-of.ts';
import { wrongState } from '../errors.ts';
import { isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { isMemberOf, makerOf, needsApproval } from './deciders.ts';
import { planPart } from './plan-part.ts';
import { requireHealthy } from './post-input.ts';
import { requireDeed } from './post-refusals.ts';
import { requirePost } from './post-row.ts';
import { warningsOf } from './warnings.ts';
import { timezoneParam, type When, whenOf, whenParam } from './when.ts';

const EYES: Readonly<Record<EyesRefusal, string>> = {
  nobody: 'The workspace demands approvals by people, and nobody stands behind this key',
  left: 'The one who made this key is no member of the workspace any more, so it approves nothing',
  author: 'An author of a post does not approve it in this workspace; another member has to',
};

export const approveContentPost = tool({
  name: 'svc_approve_content_post',
  domain: 'Content',
  title: 'Approve content post',
  description:
    'Approves a post in review: to scheduled when a time is known (or given), else back to draft marked approved. Next: svc_schedule_content_post or svc_publish_content_post.',
  example: { input: { contentPostId: '$postInReviewId', comment: 'Good.' } },
  scope: 'content:write',
  decidesDrafts: true,
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    contentPostId: z.string().min(1),
    scheduledAt: whenParam.optional(),
    timezone: timezoneParam,
    comment: z.string().max(1_000).optional(),
    expectedVersion: z
      .int()
      .min(1)
      .optional()
      .describe('The version that was read; needed once a post was edited, where approvals are demanded.'),
  }),
  output: z.object({
    contentPostId: z.string(),
    state: z.string(),
    approved: z.boolean(),
    scheduledAt: z.string().nullable(),
    localTime: z.string().nullable(),
    adjustedFrom: z.string().nullable(),
    warnings: z.array(z.string()),
  }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const post = await requirePost(tx, input.contentPostId, true);
      const when = await timeOf(tx, post, input, now);
      const { state } = requireDeed(post, { kind: 'approve', ready: when !== null });
      const required = await needsApproval(tx, post.workspaceId);
      const decidedByUser = await requireEyes(ctx, tx, post, required);
      requireRead(post, input.expectedVersion, required);
      const approvedMedia = await requireSound(tx, post);
      if (when) await requireHealthy(tx, post.accountId);
      const decision = { approved: true, approvedVersion: post.version, approvedMedia, decidedAt: now };
      const who = { decidedBy: actorOf(ctx), decidedByUser, reason: input.comment ?? null };
      const time = when && { scheduledAt: when.at, localAt: when.localAt, timezone: when.timezone };
      await changePost(tx, post.id, { state, ...decision, ...who, ...time }, now);
      if (when) await planPart(ctx, tx, post, { part: 'post', at: when.at });
      await tell(ctx, tx, post, input.comment ?? '', now);
      const at = when?.at ?? null;
      return {
        contentPostId: post.id,
        state,
        approved: true,
        scheduledAt: isoOrNull(at),
        localTime: when?.localAt ?? null,
        adjustedFrom: when?.adjustedFrom ?? null,
        warnings: await warningsOf(tx, { id: post.id, accountId: post.accountId, text: post.text, at }, now),
      };
    });
  },
});

/** The time that was given, else the wish of the post while it lies ahead. */
async function timeOf(
  tx: Tx,
  post: ContentPost,
  input: { scheduledAt?: string | undefined; timezone?: string | undefined },
  now: number,
): Promise<When | null> {
  const { scheduledAt, timezone } = input;
  if (scheduledAt !== undefined) return whenOf(tx, { scheduledAt, timezone }, post.accountId, now);
  if (post.scheduledAt === null || post.scheduledAt <= now) return null;
  return { at: post.scheduledAt, localAt: post.localAt, timezone: post.timezone, adjustedFrom: null };
}

/**
 * An approval counts for the words that were read. A post in review may be edited and stays there, so where approvals are demanded the
 * approver of a post that was ever edited says which version they read. Source: catalog, stateMachines.contentPost.
 * @throws UserError where it is another one, or nobody can know which
 */
function requireRead(post: ContentPost, expectedVersion: number | undefined, required: boolean): void {
  if (expectedVersion !== undefined && expectedVersion !== post.version)
    throw wrongState(
      `The post is at version ${post.version}, not ${expectedVersion}; read it again`,
      'svc_get_content_post',
    );
  if (expectedVersion === undefined && post.version > 1 && required)
    throw wrongState(
      `The post was edited and is at version ${post.version}: an edit in review leaves it in review, so read it and approve it with expectedVersion`,
      'svc_get_content_post',
    );
}

/** Who counts as approving. @throws UserError where the workspace demands other eyes */
async function requireEyes(ctx: ToolContext, tx: Tx, post: ContentPost, required: boolean): Promise<string | null> {
  const decider = await makerOf(ctx, tx);
  const isMember = await isMemberOf(tx, post.workspaceId, decider);
  const refusal = mayApprove({ required, decider, isMember, authors: post.authors });
  if (refusal) throw wrongState(EYES[refusal], 'svc_list_members');
  // Approvals may be demanded later, and then that of one who had left does not count either.
  return isMember ? decider : null;
}

/** Hashes of the media that are approved with the words. @throws UserError while a medium is missing, or for a banned phrase */
async function requireSound(tx: Tx, post: ContentPost): Promise<(string | null)[]> {
  const { bannedPhrases } = await readVoice(tx, post.workspaceId);
  const banned = bannedPhrasesIn(`${post.text}\n${post.firstComment ?? ''}`, bannedPhrases);
  if (banned.length > 0)
    throw wrongState(`The post says "${banned[0]}", which the workspace never says`, 'svc_update_content_post');
  const media = await mediaOf(tx, post.id);
  const missing = media.find((medium) => medium.state !== 'ready');
  if (missing?.state === 'failed')
    throw wrongState(`The medium ${missing.url} can not be used: ${missing.error}`, 'svc_update_content_post');
  if (missing)
    throw wrongState(`The medium ${missing.url} is being fetched; approve it in a minute`, 'svc_get_content_post');
  return media.map((medium) => medium.sha256);
}

async function tell(ctx: ToolContext, tx: Tx, post: ContentPost, text: string, now: number): Promise<void> {
  const actor = actorOf(ctx);
  await markPost(tx, post, { at: now, kind: 'approved', actor, text, data: { version: post.version } });
  await tellPost(tx, post, { kind: 'content.approved', at: now, actor, text });
}
