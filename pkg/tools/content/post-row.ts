import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { PostStanding } from '../../domain/content/post-state.ts';
import type { Tx } from '../../postgres/database.ts';
import type { PostMedium } from '../../store/content/content-media.ts';
import { type ContentPost, lockPost, readPost } from '../../store/content/content-posts.ts';
import { type CompactForm, cut } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record ContentPost, and how it stands beside that. */
export const contentPostRecord = z.object({
  contentPostId: z.string(),
  workspaceId: z.string(),
  state: z.string(),
  text: z.string(),
  mediaUrls: z.array(z.string()),
  firstComment: z.string().nullable(),
  networkAccountId: z.string(),
  campaignId: z.string().nullable(),
  scheduledAt: z.string().nullable(),
  publishedAt: z.string().nullable(),
  externalUrl: z.string().nullable(),
  approved: z.boolean(),
  approval: z
    .object({
      submittedAt: z.string().nullable(),
      decidedBy: z.string().nullable(),
      decidedAt: z.string().nullable(),
      reason: z.string().nullable(),
    })
    .nullable(),
  failure: z
    .object({
      code: z.string(),
      message: z.string(),
      attempts: z.number(),
      at: z.string(),
      outcomeKnown: z.boolean(),
      part: z.string(),
    })
    .nullable(),
  publishing: z.boolean(),
  waitReason: z.string().nullable().describe('Why a due post has not gone out yet.'),
  localTime: z.string().nullable().describe('The wall clock that was meant; null: an instant, which never moves.'),
  timezone: z.string().nullable(),
  verifiedAt: z.string().nullable().describe('When it was seen online with its whole text.'),
  firstCommentPublishedAt: z.string().nullable(),
  version: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** A post of a list: as much of it as the caller asked for. */
export const listedPost = contentPostRecord.partial().required({ contentPostId: true });

/** Which post it is, when it goes out, and what went wrong; its whole text is in the single post. */
export const POST_FORM: CompactForm = {
  id: 'contentPostId',
  known: Object.keys(contentPostRecord.shape),
  kept: ['state', 'text', 'networkAccountId', 'scheduledAt', 'publishedAt', 'approved', 'failure', 'version'],
  short: {
    text: (text: string) => cut(text),
    failure: (failure: { code: string; outcomeKnown: boolean; part: string } | null) =>
      failure && { code: failure.code, outcomeKnown: failure.outcomeKnown, part: failure.part },
  },
};

/** A medium as people see it. */
export const mediumRecord = z.object({
  url: z.string(),
  altText: z.string(),
  state: z.string().describe('waiting, ready, failed or gone (a month after its post went out).'),
  path: z.string().nullable().describe('GET it at this server with the same key, whole or by Range.'),
  type: z.string().nullable(),
  bytes: z.number().nullable(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  sha256: z.string().nullable(),
  error: z.string().nullable(),
});

export function mediumOf(medium: PostMedium): z.input<typeof mediumRecord> {
  const { id, url, alt, mime, bytes, width, height, sha256, error, goneAt } = medium;
  const state = goneAt === null ? medium.state : 'gone';
  const path = state === 'ready' ? `/media/${id}` : null;
  return { url, altText: alt, state, path, type: mime, bytes, width, height, sha256, error };
}

/** Reads a post under the caller's rights. @param lock the executor waits for the end of the transaction @throws UserError not found */
export async function requirePost(tx: Tx, contentPostId: string, lock = false): Promise<ContentPost> {
  const post = isUuid(contentPostId) ? await (lock ? lockPost : readPost)(tx, contentPostId) : undefined;
  if (!post) throw notFound('contentPost', contentPostId);
  return post;
}

/** How a post stands, for the rules of its states. */
export function standingOf(post: ContentPost): PostStanding {
  return {
    state: post.state,
    approved: post.approved,
    failed: post.failure !== null,
    publishing: post.sendState !== null,
  };
}

/** The record of a post. */
export function contentPostOf(post: ContentPost, mediaUrls: string[]): z.input<typeof contentPostRecord> {
  const { failure } = post;
  const decided = post.submittedAt !== null || post.decidedAt !== null;
  return {
    contentPostId: post.id,
    workspaceId: post.workspaceId,
    state: post.state,
    text: post.text,
    mediaUrls,
    firstComment: post.firstComment,
    networkAccountId: post.accountId,
    campaignId: post.campaignId,
    scheduledAt: isoOrNull(post.scheduledAt),
    publishedAt: isoOrNull(post.publishedAt),
    externalUrl: post.externalUrl,
    approved: post.approved,
    approval: decided
      ? {
          submittedAt: isoOrNull(post.submittedAt),
          decidedBy: post.decidedBy,
          decidedAt: isoOrNull(post.decidedAt),
          reason: post.reason,
        }
      : null,
    failure: failure && { ...failure, at: iso(failure.at) },
    publishing: post.sendState !== null,
    waitReason: post.waitReason,
    localTime: post.localAt,
    timezone: post.timezone,
    verifiedAt: isoOrNull(post.verifiedAt),
    firstCommentPublishedAt: isoOrNull(post.commentPublishedAt),
    version: post.version,
    createdAt: iso(post.createdAt),
    updatedAt: iso(post.updatedAt),
  };
}
