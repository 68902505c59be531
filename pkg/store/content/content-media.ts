import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** A picture or video of a post. */
export interface PostMedium {
  id: string;
  place: number;
  url: string;
  alt: string;
  state: 'waiting' | 'ready' | 'failed';
  mime: string | null;
  bytes: number | null;
  sha256: string | null;
  width: number | null;
  height: number | null;
  error: string | null;
  /** When its bytes went (epoch ms, product time); null: they did not. */
  goneAt: number | null;
  /** Where its bytes lie. */
  stored: MediaPlace;
}

/** In Postgres, or in the S3-compatible store of the installation. */
export type MediaPlace = 'table' | 'bucket';

const COLUMNS = 'id, place, url, alt, state, mime, bytes, sha256, width, height, error, gone_at as "goneAt", stored';

/** The media of a post in their order, and the hashes under which they were approved (null: nobody had to, or did not yet). */
export async function readMediaOf(
  tx: Tx,
  postId: string,
): Promise<{ media: PostMedium[]; approved: (string | null)[] | null }> {
  const media = await mediaOf(tx, postId);
  const row = await tx.row<{ approved: (string | null)[] | null }>(
    'select case when approved then approved_media end as approved from content_post where id::text = $1',
    [postId],
  );
  return { media, approved: row?.approved ?? null };
}

/** The media of a post in their order. */
export function mediaOf(tx: Tx, postId: string): Promise<PostMedium[]> {
  return tx.rows<PostMedium>(
    `select ${COLUMNS} from content_medium where post_id::text = $1 order by place limit 100`,
    [postId],
  );
}

/** A medium whose bytes are kept. */
export interface KeptMedium {
  id: string;
  workspaceId: string;
  mime: string;
  bytes: number;
  sha256: string;
  stored: MediaPlace;
}

/** @returns undefined where the transaction sees none, or its bytes are not kept */
export function keptMedium(tx: Tx, id: string): Promise<KeptMedium | undefined> {
  return tx.row<KeptMedium>(
    `select id, workspace_id as "workspaceId", mime, bytes::float8 as bytes, sha256, stored
     from content_medium
     where id = $1 and state = 'ready' and gone_at is null and bytes > 0`,
    [id],
  );
}

/** A piece of a medium; undefined: there are no more. */
export async function readChunk(tx: Tx, mediumId: string, place: number): Promise<Buffer | undefined> {
  const row = await tx.row<{ data: Buffer }>('select data from content_chunk where medium_id = $1 and place = $2', [
    mediumId,
    place,
  ]);
  return row?.data;
}

/** Puts other media in the place of those of a post; their bytes are still to be fetched. Lock the post first. */
export async function replaceMedia(
  tx: Tx,
  post: { id: string; workspaceId: string },
  media: readonly { id: string; url: string; alt: string }[],
): Promise<void> {
  await tx.exec('delete from content_medium where post_id = $1', [post.id]);
  for (const [place, medium] of media.entries()) {
    await tx.exec(
      'insert into content_medium (id, workspace_id, post_id, place, url, alt) values ($1, $2, $3, $4, $5, $6)',
      [medium.id, post.workspaceId, post.id, place, medium.url, medium.alt],
    );
  }
}

/** Addresses of the media of posts, in their order. */
export async function mediaUrlsOf(tx: Tx, postIds: readonly string[]): Promise<Map<string, string[]>> {
  if (postIds.length === 0) return new Map();
  const rows = await tx.rows<{ postId: string; urls: string[] }>(
    `select post_id as "postId", array_agg(url order by place) as urls
     from content_medium
     where post_id = any ($1::uuid[])
     group by 1`,
    [arrayText(postIds)],
  );
  return new Map(rows.map((row) => [row.postId, row.urls]));
}

/** Bytes of a piece; the last one has what is left. */
export const CHUNK_BYTES = 1024 * 1024;

/** The first medium of a post whose bytes are still to be fetched. */
export function nextMedium(tx: Tx, postId: string): Promise<{ id: string; url: string } | undefined> {
  return tx.row(
    `select id, url from content_medium where post_id::text = $1 and state = 'waiting' order by place limit 1`,
    [postId],
  );
}

/** Bytes of the other media of a medium's post that are fetched. */
export async function bytesBeside(tx: Tx, mediumId: string): Promise<number> {
  const row = await tx.row<{ bytes: number }>(
    `select coalesce(sum(o.bytes), 0)::float8 as bytes
     from content_medium m
     join content_medium o on o.post_id = m.post_id and o.id <> m.id
     where m.id = $1 and o.state = 'ready'`,
    [mediumId],
  );
  return row?.bytes ?? 0;
}

/** Bytes of media that a workspace keeps. */
export async function bytesOfWorkspace(tx: Tx, workspaceId: string): Promise<number> {
  const row = await tx.row<{ bytes: number }>(
    `select coalesce(sum(bytes), 0)::float8 as bytes
     from content_medium
     where workspace_id = $1 and state = 'ready' and gone_at is null`,
    [workspaceId],
  );
  return row?.bytes ?? 0;
}

/** The same; the next one that asks waits until this transaction has ended: what it adds is counted by then. */
export async function bytesUnderLock(tx: Tx, workspaceId: string): Promise<number> {
  await tx.row('select 1 from workspace where id = $1 for no key update', [workspaceId]);
  return bytesOfWorkspace(tx, workspaceId);
}

/** Says where the bytes of a medium go that is about to be fetched; of one that is gone, or fetched, nothing. */
export async function storeIn(tx: Tx, mediumId: string, stored: MediaPlace): Promise<void> {
  await tx.exec(`update content_medium set stored = $2 where id = $1 and state = 'waiting'`, [mediumId, stored]);
}

/** Drops what an earlier try kept of a medium that is still to be fetched: its address may say something shorter now. */
export async function dropChunks(tx: Tx, mediumId: string): Promise<void> {
  await tx.exec(
    `delete from content_chunk c using content_medium m
     where c.medium_id = $1 and m.id = c.medium_id and m.state = 'waiting'`,
    [mediumId],
  );
}

/** Keeps a piece; of a medium that is gone, or that is fetched, nothing. */
export async function keepChunk(
  tx: Tx,
  chunk: { mediumId: string; workspaceId: string; place: number; data: Buffer },
): Promise<void> {
  await tx.exec(
    `insert into content_chunk (medium_id, workspace_id, place, data)
     select m.id, m.workspace_id, $3, $4
     from content_medium m
     where m.id = $1 and m.workspace_id = $2 and m.state = 'waiting'
     on conflict (medium_id, place) do update set data = excluded.data`,
    [chunk.mediumId, chunk.workspaceId, chunk.place, chunk.data],
  );
}

/** Keeps what became of fetching a medium that is still to be fetched. @param now epoch ms, product time */
export async function keepMedium(
  tx: Tx,
  id: string,
  found: Pick<PostMedium, 'state'> &
    Partial<Pick<PostMedium, 'mime' | 'bytes' | 'sha256' | 'width' | 'height' | 'error'>>,
  now: number,
): Promise<void> {
  await tx.exec(
    `update content_medium
     set state = $2, mime = $3, bytes = $4, sha256 = $5, width = $6, height = $7, error = $8, fetched_at = $9
     where id = $1 and state = 'waiting'`,
    [
      id,
      found.state,
      found.mime ?? null,
      found.bytes ?? null,
      found.sha256 ?? null,
      found.width ?? null,
      found.height ?? null,
      found.error?.slice(0, 300) ?? null,
      now,
    ],
  );
}
