import { NEVER } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import { CallError } from '../../providers/call-error.ts';
import { fetchMedia } from '../../providers/media/fetch-media.ts';
import {
  bytesBeside,
  CHUNK_BYTES,
  dropChunks,
  keepChunk,
  keepMedium,
  nextMedium,
  replaceMedia,
} from '../../store/content/content-media.ts';
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

/** Fetches the media of a post one by one, each a piece at a time into the database: a video is neither in memory nor on disk. */
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
  const others = await context.tx(async (tx) => {
    await dropChunks(tx, mediumId);
    return bytesBeside(tx, mediumId);
  });
  const chunks = new Chunks((place, data) => context.tx((tx) => keepChunk(tx, { mediumId, workspaceId, place, data })));
  try {
    const reachOf = context.connections?.reachOf ?? (() => 'public' as const);
    const sink = { others, take: (piece: Buffer) => chunks.add(piece) };
    const { type, bytes, sha256 } = await fetchMedia(url, sink, reachOf, context.signal ?? NEVER);
    await chunks.end();
    // A medium is ready once all of its pieces are kept.
    const ready = { state: 'ready' as const, mime: type.mime, bytes, sha256, width: type.width, height: type.height };
    await context.tx((tx) => keepMedium(tx, mediumId, ready, context.clocks.product.now()));
    return null;
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
