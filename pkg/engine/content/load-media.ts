import { createHash } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { MOST_POST_BYTES } from '../../domain/content/media-type.ts';
import { pieceKey } from '../../domain/content/piece-key.ts';
import { type PostFile, ProviderError } from '../../providers/network/network-provider.ts';
import { CHUNK_BYTES, type PostMedium, readChunk, readMediaOf } from '../../store/content/content-media.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { MediaRoom } from './media-room.ts';

/** Posts whose media lie on disk share one /tmp: the others wait. */
const ROOM = new MediaRoom(MOST_POST_BYTES);

/** Media that lie on disk until `drop`. */
export interface LoadedMedia {
  files: PostFile[];
  drop(): Promise<void>;
}

/** Why a post can not go out with its media. */
export interface MediaRefusal {
  refusal: 'media_missing' | 'media_changed';
  reason: string;
}

/**
 * Lays the media of a post in a folder of their own, a piece at a time, and compares each with the hash under which it was approved:
 * what goes out are these bytes, and no others.
 */
export async function loadMedia(
  deps: EngineDeps,
  contentPostId: string,
  signal: AbortSignal,
): Promise<LoadedMedia | MediaRefusal> {
  const { media, approved } = await deps.claim.tx((tx) => readMediaOf(tx, contentPostId));
  const files: PostFile[] = [];
  if (media.length === 0) return { files, drop: () => Promise.resolve() };
  const waiting = media.find((medium) => medium.state !== 'ready');
  if (waiting)
    return { refusal: 'media_missing', reason: `${waiting.url}: ${waiting.error ?? 'it is not fetched yet'}` };
  const gone = media.find((medium) => medium.goneAt !== null);
  if (gone) return { refusal: 'media_missing', reason: `the bytes of ${gone.url} are not kept any more` };
  if (approved && media.some((medium, place) => medium.sha256 !== approved[place]))
    return { refusal: 'media_changed', reason: 'its media are not those that were approved' };
  const bytes = media.reduce((sum, medium) => sum + (medium.bytes ?? 0), 0);
  if (bytes > MOST_POST_BYTES)
    return {
      refusal: 'media_missing',
      reason: `its media are larger than ${MOST_POST_BYTES / 1024 / 1024} MB together`,
    };
  const leave = await ROOM.enter(bytes, signal);
  const folder = await mkdtemp(join(tmpdir(), 'outrider-post-')).catch((error: unknown) => {
    leave();
    throw error;
  });
  const drop = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true });
    leave();
  };
  try {
    for (const medium of media) {
      const path = join(folder, String(medium.place));
      if ((await layOut(deps, medium, path, signal)) !== medium.sha256) {
        await drop();
        return { refusal: 'media_changed', reason: `the bytes of ${medium.url} are not those that were approved` };
      }
      files.push({ path, mime: medium.mime ?? '', name: nameOf(medium), alt: medium.alt });
    }
    return { files, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Writes a medium piece by piece. @returns the hash of what was written */
async function layOut(deps: EngineDeps, medium: PostMedium, path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'w', 0o600);
  try {
    for (let place = 0; place < Math.ceil((medium.bytes ?? 0) / CHUNK_BYTES); place++) {
      signal.throwIfAborted();
      const chunk = await pieceOf(deps, medium, place, signal);
      if (!chunk) break;
      hash.update(chunk);
      await file.write(chunk);
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

/** @throws ProviderError where the bucket does not answer, or is not set here: the post waits */
async function pieceOf(
  { claim, outside, workspaceId }: EngineDeps,
  medium: PostMedium,
  place: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (medium.stored === 'table') return claim.tx((tx) => readChunk(tx, medium.id, place));
  const { bucket } = outside ?? {};
  if (!bucket)
    throw new ProviderError('unavailable_before_send', 'the bucket of its media is not set here (MEDIA_S3_ENDPOINT)');
  return bucket.get(pieceKey({ workspaceId, id: medium.id }, place), signal).catch((error: unknown) => {
    throw new ProviderError('unavailable_before_send', messageOf(error));
  });
}

function nameOf({ place, mime }: PostMedium): string {
  return `${place + 1}.${(mime ?? '').split('/')[1] ?? 'bin'}`;
}
