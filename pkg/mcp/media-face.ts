import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { NEVER, withDeadline } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import { HttpError } from '../base/http/http-error.ts';
import { isUuid } from '../base/ids.ts';
import { Shares } from '../base/shares.ts';
import { pieceKey } from '../domain/content/piece-key.ts';
import type { Database, Scope } from '../postgres/database.ts';
import type { Bucket } from '../providers/media/bucket.ts';
import { CHUNK_BYTES, type KeptMedium, keptMedium, readChunk } from '../store/content/content-media.ts';
import { getContentPost } from '../tools/content/get-content-post.ts';
import type { AnyTool } from '../tools/tool.ts';
import { type ByteRange, rangeOf } from './byte-range.ts';
import type { CallGate } from './call-gate.ts';
import type { Exchange } from './exchange.ts';
import { refuseEnding } from './refuse-ending.ts';
import { withinRoles } from './within-roles.ts';

/** Media that one server sends at once: each holds a piece of a megabyte in memory. */
const MOST_AT_ONCE = 16;
/** Of them, those of one workspace: a slow reader leaves places to the others. */
const MOST_OF_WORKSPACE = 4;
/** Who reads slower than this, once the first seconds are over, is ended. */
const SLOWEST_BYTES_PER_SECOND = 128 * 1024;
const FIRST_MS = 30_000;
/** Media are seen by who may read the posts that they belong to, and count as calls that read. */
const AS: AnyTool = getContentPost;
const NOT_FOUND =
  'There is no such medium, or its bytes are not kept any more. Call svc_get_content_post for the paths of its media.';

type Seen = Exclude<Scope, { kind: 'claim' }>;

/** In whose sight, and until when, pieces are read. */
interface Sending {
  scope: Seen;
  signal: AbortSignal;
}

/** What serving media needs. */
export interface MediaServices {
  db: Database;
  gate: CallGate;
  /** Where bytes lie that are not in the database; undefined: all are. */
  bucket: Bucket | undefined;
}

/**
 * GET and HEAD of /media/<id>: the bytes of a post's medium for a key that may read posts in its workspace, whole or a range of them, a
 * piece at a time. A browser runs nothing of them, whatever they are.
 */
export class MediaFace {
  readonly #services: MediaServices;
  readonly #firstMs: number;
  readonly #places = new Shares(MOST_AT_ONCE, () => MOST_OF_WORKSPACE);

  /** @param firstMs how long an answer may take beside what its bytes take at the slowest */
  constructor(services: MediaServices, firstMs = FIRST_MS) {
    this.#services = services;
    this.#firstMs = firstMs;
  }

  /** @throws HttpError 401, 403, 404, 405, 416, 429, 503 */
  async serve({ request, response, authenticated }: Exchange): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new HttpError(405, 'Media can be read alone.', { allow: 'GET, HEAD' });
    const id = /^\/media\/([^/?]+)$/.exec(request.url ?? '')?.[1] ?? '';
    const admitted = await this.#services.gate.admit({ authenticated, sessionHash: null }, AS, { mediumId: id });
    if ('refused' in admitted) {
      const { text, retrySeconds } = admitted.refused;
      throw new HttpError(429, text, { 'retry-after': String(retrySeconds) });
    }
    const scope = scopeFor(admitted.authenticated.caller);
    const medium = isUuid(id) ? await this.#services.db.read(scope, (tx) => keptMedium(tx, id)) : undefined;
    if (!medium) throw new HttpError(404, NOT_FOUND);
    await this.#countFor(admitted.authenticated, medium);
    const range = rangeOf(request.headers.range, medium.bytes);
    if (range === 'unsatisfiable')
      throw new HttpError(416, `It has ${medium.bytes} bytes.`, { 'content-range': `bytes */${medium.bytes}` });
    const place = { holders: [medium.workspaceId] };
    if (this.#places.left < 1 || !this.#places.allows(place, 1))
      throw new HttpError(503, 'Try again in a few seconds.', { 'retry-after': '5' });
    this.#places.add(place, 1);
    try {
      writeHead(response, medium, range);
      if (request.method === 'HEAD') response.end();
      else await this.#sendInTime(response, medium, range ?? { from: 0, to: medium.bytes - 1 }, scope);
    } finally {
      this.#places.add(place, -1);
    }
  }

  /** Against limits that the medium's workspace lowered. @throws HttpError 429 */
  async #countFor(authenticated: Exchange['authenticated'], { workspaceId }: KeptMedium): Promise<void> {
    if (authenticated.workspaceLimits.size === 0) return;
    const call = { tool: AS, workspaceId, input: {} };
    await this.#services.gate.admitToWorkspace(authenticated, call).catch((error: unknown) => {
      throw error instanceof UserError ? new HttpError(429, error.message, { 'retry-after': '60' }) : error;
    });
  }

  /** Breaks an answer off that takes longer than a slow connection needs for its bytes: its place is for the next one. */
  async #sendInTime(response: ServerResponse, medium: KeptMedium, range: ByteRange, scope: Seen): Promise<void> {
    const ms = this.#firstMs + ((range.to - range.from + 1) / SLOWEST_BYTES_PER_SECOND) * 1_000;
    await withDeadline(ms, NEVER, async (signal) => {
      signal.addEventListener('abort', () => response.destroy(), { once: true });
      try {
        await this.#send(response, medium, range, { scope, signal });
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    });
  }

  #piece(medium: KeptMedium, place: number, { scope, signal }: Sending): Promise<Buffer | undefined> {
    const { db, bucket } = this.#services;
    if (medium.stored === 'table') return db.read(scope, (tx) => readChunk(tx, medium.id, place));
    return bucket ? bucket.get(pieceKey(medium, place), signal) : Promise.resolve(undefined);
  }

  /** The next piece is read once the one before was taken: a slow reader holds one. */
  async #send(response: ServerResponse, medium: KeptMedium, { from, to }: ByteRange, sending: Sending): Promise<void> {
    for (let at = from; at <= to && !response.destroyed; ) {
      const place = Math.floor(at / CHUNK_BYTES);
      const begin = place * CHUNK_BYTES;
      const chunk = await this.#piece(medium, place, sending);
      // The reader left meanwhile: nothing would tell so again.
      if (response.destroyed) return;
      const piece = chunk?.subarray(at - begin, to - begin + 1);
      // What went meanwhile can not be told any more but by breaking off.
      if (!piece || piece.length === 0) return void response.destroy();
      at += piece.length;
      if (!response.write(piece)) await drained(response);
    }
    response.end();
  }
}

async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([
      once(response, 'drain', { signal: over.signal }),
      once(response, 'close', { signal: over.signal }),
    ]);
  } finally {
    over.abort();
  }
}

/** The workspaces in which the caller may read posts. @throws HttpError 403 where there is none */
function scopeFor(caller: Exchange['authenticated']['caller']): Seen {
  if (!caller.scopes.has(AS.scope))
    throw new HttpError(
      403,
      `Scope ${AS.scope} is required to read media. Call svc_whoami to see the scopes of this key.`,
    );
  try {
    refuseEnding(AS, caller, {});
    const { workspaces } = withinRoles(AS, caller, {}).caller;
    const ids = workspaces.map(({ workspaceId }) => workspaceId);
    return { kind: 'workspaces', ids, caller: caller.user?.id ?? caller.keyId };
  } catch (error) {
    if (error instanceof UserError) throw new HttpError(403, error.message);
    throw error;
  }
}

function writeHead(response: ServerResponse, { bytes, mime, sha256 }: KeptMedium, range: ByteRange | null): void {
  response.writeHead(range ? 206 : 200, {
    'content-type': mime,
    'content-length': range ? range.to - range.from + 1 : bytes,
    ...(range ? { 'content-range': `bytes ${range.from}-${range.to}/${bytes}` } : {}),
    'accept-ranges': 'bytes',
    etag: `"${sha256}"`,
    'cache-control': 'private, no-store',
    'content-disposition': 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
}
