import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { withDeadline } from '../../base/clock.ts';
import {
  BEGINNING,
  type MediaType,
  MOST_BYTES,
  MOST_POST_BYTES,
  MOST_WORKSPACE_BYTES,
  mediaProblem,
  mediaTypeOf,
} from '../../domain/content/media-type.ts';
import { CallError } from '../call-error.ts';
import type { ReachOf } from '../integrations.ts';
import { requireReachable } from '../outside-http.ts';
import { publicLookup } from '../public-address.ts';

/** A medium whose bytes were all taken. */
export interface FetchedMedia {
  type: MediaType;
  bytes: number;
  sha256: string;
}

/** Real ms for one medium, less than the lease of the job that fetches it: nobody else begins the same. */
const TIMEOUT_MS = 80_000;
/** Redirects that are followed. */
const MAX_HOPS = 3;

const bounds = { connections: 8, keepAliveTimeout: 1_000, headersTimeout: 15_000, bodyTimeout: 30_000 };
const agents = {
  public: new Agent({ ...bounds, connect: { timeout: 5_000, lookup: publicLookup } }),
  any: new Agent({ ...bounds, connect: { timeout: 5_000 } }),
};

/** Where the bytes of a medium go. */
export interface MediaSink {
  /** Bytes of the post's other media. */
  others: number;
  /** Bytes that the workspace may keep besides what it keeps. */
  room: number;
  /** Takes a piece before the next one is read: nothing lies in memory or on disk beside it. */
  take(piece: Buffer): Promise<void>;
}

/**
 * Fetches a medium a piece at a time, and ends as soon as it is none that the network takes, or too large. Each hop of its address goes
 * to the public internet alone.
 * @param reachOf where an address may lead
 * @throws CallError `refused` where another try is of no use; what was taken is of no use then
 */
export async function fetchMedia(
  url: string,
  sink: MediaSink,
  reachOf: ReachOf,
  signal: AbortSignal,
): Promise<FetchedMedia> {
  try {
    return await withDeadline(TIMEOUT_MS, signal, (ends) => fetchTo(url, sink, reachOf, ends));
  } catch (error) {
    if (error instanceof CallError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new CallError('busy', `it could not be fetched: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

async function fetchTo(url: string, sink: MediaSink, reachOf: ReachOf, signal: AbortSignal): Promise<FetchedMedia> {
  let at = url;
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const reach = reachOf(at);
    requireReachable({ url: at, reach });
    const answer = await request(at, { dispatcher: agents[reach], signal, headers: { accept: 'image/*, video/mp4' } });
    const { statusCode, headers, body } = answer;
    const { location } = headers;
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
      leave(body);
      at = new URL(location, at).href;
      continue;
    }
    if (statusCode !== 200) {
      leave(body);
      throw new CallError(
        statusCode >= 500 || statusCode === 429 ? 'busy' : 'refused',
        `its server answered ${statusCode}`,
      );
    }
    return await keep(body, sink);
  }
  throw new CallError('refused', `it leads on more than ${MAX_HOPS} times`);
}

/** Nobody reads it: that it breaks off is no fault. */
function leave(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

/** Hands on what comes; the type is known by the first bytes, and with it how many there may be. */
async function keep(body: AsyncIterable<Buffer>, { others, room, take }: MediaSink): Promise<FetchedMedia> {
  const hash = createHash('sha256');
  let beginning = Buffer.alloc(0);
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    hash.update(piece);
    if (beginning.length < BEGINNING) beginning = Buffer.concat([beginning, piece]).subarray(0, BEGINNING);
    if (beginning.length >= 12) requireRoom(beginning, bytes, others);
    if (bytes > room) throw new CallError('refused', WORKSPACE_FULL);
    await take(piece);
  }
  const type = mediaTypeOf(beginning);
  const problem = mediaProblem(type, bytes, others);
  if (type === null || problem !== null) throw new CallError('refused', problem ?? 'it is empty');
  return { type, bytes, sha256: hash.digest('hex') };
}

/** Why a medium is not kept for which its workspace has no room. */
export const WORKSPACE_FULL = `its workspace would keep more than ${MOST_WORKSPACE_BYTES / 1024 / 1024} MB of media; delete drafts, or wait: those of published posts go a month later`;

function requireRoom(beginning: Buffer, bytes: number, others: number): void {
  const type = mediaTypeOf(beginning);
  if (type === null) throw new CallError('refused', mediaProblem(null, bytes) ?? '');
  if (bytes > MOST_BYTES[type.kind] || bytes + others > MOST_POST_BYTES)
    throw new CallError('refused', mediaProblem(type, bytes, others) ?? '');
}
