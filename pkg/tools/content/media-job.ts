import { NEVER } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { MOST_WORKSPACE_BYTES } from '../../domain/content/media-type.ts';
import { pieceKey } from '../../domain/content/piece-key.ts';
import type { Tx } from '../../postgres/database.ts';
import { CallError } from '../../providers/call-error.ts';
import { fetchMedia, WORKSPACE_FULL } from '../../providers/media/fetch-media.ts';
import {
  bytesBeside,
  bytesOfWorkspace,
  bytesUnderLock,
  CHUNK_BYTES,
  dropChunks,
  keepChunk,
  keepMedium,
  nextMedium,
  replaceMedia,
  storeIn,
} from '../../store/content/content-media.ts';
import { queueJob } from '../../store/jobs/background-jobs.ts';
import { wrongState } from '../errors.ts';
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
  await requireRoom(tx, post.workspaceId);
  const work = { contentPostId: post.id };
  const now = ctx.clocks.product.now();
  const job = { id: ctx.ids.uuid(), workspaceId: post.workspaceId, kind: KIND, accountId: null, holdId: null };
  await queueJob(tx, { ...job, work, now });
}

/** @throws UserError where the workspace keeps as many bytes as it may */
async function requireRoom(tx: Tx, workspaceId: string): Promise<void> {
  const kept = await bytesOfWorkspace(tx, workspaceId);
  if (kept < MOST_WORKSPACE_BYTES) return;
  throw wrongState(
    `The workspace keeps ${Math.round(kept / MEGABYTE)} MB of media, of ${MOST_WORKSPACE_BYTES / MEGABYTE} MB; delete drafts with media that nobody needs (those of published posts go a month later)`,
    'svc_list_content_posts',
  );
}

const MEGABYTE = 1024 * 1024;

/** Fetches the media of a post one by one, each a piece at a time into the database or the bucket: a video is neither in memory nor on disk. */
export const mediaHandler: JobHandler = {
  kind: KIND,
  async step(context, job) {
    const postId = String(job.work['contentPostId'] ?? '');
    const medium = await context.tx((tx) => nextMedium(tx, postId));
    if (!medium) return () => Promise.resolve({ kind: 'over', work: job.work });
    const problem = await fetchOne(context, job.workspaceId, medium);
    return async (tx) => {
      if (problem === null) return { kind: 'more', work: job.work };
      await dropChunks(tx, medium.id);
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
  { id: mediumId, url }: { id: string; url: string },
): Promise<string | null> {
  const { bucket, signal = NEVER } = context;
  const { others, room } = await context.tx(async (tx) => {
    await dropChunks(tx, mediumId);
    await storeIn(tx, mediumId, bucket ? 'bucket' : 'table');
    const kept = await bytesOfWorkspace(tx, workspaceId);
    return { others: await bytesBeside(tx, mediumId), room: MOST_WORKSPACE_BYTES - kept };
  });
  const keep = (place: number, data: Buffer): Promise<void> =>
    bucket
      ? bucket.put(pieceKey({ workspaceId, id: mediumId }, place), data, signal)
      : context.tx((tx) => keepChunk(tx, { mediumId, workspaceId, place, data }));
  const chunks = new Chunks(keep);
  try {
    const reachOf = context.connections?.reachOf ?? (() => 'public' as const);
    const sink = { others, room, take: (piece: Buffer) => chunks.add(piece) };
    const { type, bytes, sha256 } = await fetchMedia(url, sink, reachOf, signal);
    await chunks.end();
    // A medium is ready once all of its pieces are kept.
    const ready = { state: 'ready' as const, mime: type.mime, bytes, sha256, width: type.width, height: type.height };
    return await context.tx(async (tx) => {
      // Others that came at the same time each had the room that was left when they began.
      if ((await bytesUnderLock(tx, workspaceId)) + bytes > MOST_WORKSPACE_BYTES) return WORKSPACE_FULL;
      await keepMedium(tx, mediumId, ready, context.clocks.product.now());
      return null;
    });
  } catch (error) {
    if (error instanceof CallError && error.kind === 'refused') return messageOf(error);
    throw error;
  }
}

/** Cuts what comes into pieces of {@link CHUNK_BYTES}; the last one has what is left. */
class Chunks {
  readonly #keep: (place: number, data: Buffer) => Promise<void>;
  #place = 0;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(keep: (place: number, data: Buffer) => Promise<void>) {
    this.#keep = keep;
  }

  async add(piece: Buffer): Promise<void> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes < CHUNK_BYTES) return;
    let whole = Buffer.concat(this.#pieces);
    for (; whole.length >= CHUNK_BYTES; whole = whole.subarray(CHUNK_BYTES))
      await this.#keep(this.#place++, whole.subarray(0, CHUNK_BYTES));
    this.#pieces = [whole];
    this.#bytes = whole.length;
  }

  async end(): Promise<void> {
    if (this.#bytes > 0) await this.#keep(this.#place++, Buffer.concat(this.#pieces));
  }
}
