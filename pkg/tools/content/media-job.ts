import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEVER } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import { CallError } from '../../providers/call-error.ts';
import { type FetchedMedia, fetchMedia } from '../../providers/media/fetch-media.ts';
import { CHUNK_BYTES, keepChunk, keepMedium, nextMedium, replaceMedia } from '../../store/content/content-media.ts';
import { queueJob } from '../../store/jobs/background-jobs.ts';
import type { JobContext, JobHandler } from '../jobs/job-step.ts';
import type { ToolContext } from '../tool-context.ts';

/** Kind of the job that fetches the media of a post. */
const KIND = 'content_media';

/** Puts media in the place of those of a post, and has their bytes fetched. Lock the post first. */
export async function setMedia(
  ctx: ToolContext,
  tx: Tx,
  post: { id: string; workspaceId: string },
  media: readonly { url: string; alt: string }[],
): Promise<void> {
  await replaceMedia(
    tx,
    post,
    media.map(({ url, alt }) => ({ id: ctx.ids.uuid(), url, alt })),
  );
  if (media.length === 0) return;
  const work = { contentPostId: post.id };
  const now = ctx.clocks.product.now();
  const job = { id: ctx.ids.uuid(), workspaceId: post.workspaceId, kind: KIND, accountId: null, holdId: null };
  await queueJob(tx, { ...job, work, now });
}

/** Fetches the media of a post one by one, to a file first: a video is never in memory. */
export const mediaHandler: JobHandler = {
  kind: KIND,
  async step(context, job) {
    const postId = String(job.work['contentPostId'] ?? '');
    const medium = await context.tx((tx) => nextMedium(tx, postId));
    if (!medium) return () => Promise.resolve({ kind: 'over', work: job.work });
    const problem = await fetchOne(context, job.workspaceId, medium);
    return async (tx) => {
      if (problem !== null)
        await keepMedium(tx, medium.id, { state: 'failed', error: problem }, context.clocks.product.now());
      return { kind: 'more', work: job.work };
    };
  },
  giveUp: async (tx, job, now, error) => {
    const postId = String(job.work['contentPostId'] ?? '');
    for (let medium = await nextMedium(tx, postId); medium; medium = await nextMedium(tx, postId))
      await keepMedium(tx, medium.id, { state: 'failed', error }, now);
  },
};

/** Fetches a medium and keeps it. @returns why it can not be used; null: it can @throws where it is worth another try */
async function fetchOne(
  context: JobContext,
  workspaceId: string,
  medium: { id: string; url: string },
): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-media-'));
  const path = join(folder, 'medium');
  try {
    const reachOf = context.connections?.reachOf ?? (() => 'public' as const);
    const found = await fetchMedia(medium.url, path, reachOf, context.signal ?? NEVER);
    await keep(context, workspaceId, medium.id, path, found);
    return null;
  } catch (error) {
    if (error instanceof CallError && error.kind === 'refused') return messageOf(error);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A medium is ready once all of its pieces are kept; a piece that was kept before is the same. */
async function keep(
  context: JobContext,
  workspaceId: string,
  mediumId: string,
  path: string,
  found: FetchedMedia,
): Promise<void> {
  const file = await open(path);
  try {
    for (let place = 0; place * CHUNK_BYTES < found.bytes; place++) {
      const data = Buffer.alloc(Math.min(CHUNK_BYTES, found.bytes - place * CHUNK_BYTES));
      await file.read(data, 0, data.length, place * CHUNK_BYTES);
      await context.tx((tx) => keepChunk(tx, { mediumId, workspaceId, place, data }));
    }
  } finally {
    await file.close();
  }
  const { type, bytes, sha256 } = found;
  const ready = { state: 'ready' as const, mime: type.mime, bytes, sha256, width: type.width, height: type.height };
  await context.tx((tx) => keepMedium(tx, mediumId, ready, context.clocks.product.now()));
}
