import { createHash, randomBytes } from 'node:crypto';
import type { TextEncodingName } from '../../base/decode-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** Addresses that a workspace has at once: each may hold a file of 50 MB for an hour. */
export const MOST_UPLOADS = 10;
/** Real minutes for which an address takes a file, and after which its row and its file are gone. */
export const UPLOAD_MINUTES = 15;
const KEPT_MINUTES = 50;
/** Real seconds without a part, after which a try is over whose server died. */
const LEFT_SECONDS = 60;

/** Makes what opens an address; the plaintext is returned here only. */
export function newUploadSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: uploadHash(secret) };
}

/** What is stored of the secret in an address. */
export function uploadHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/**
 * Opens an address. Where the workspace has as many as it may, the oldest one whose file was refused, and to which no other came, makes
 * room. Who asks at the same moment waits for this transaction, so that no two take the last place.
 * @returns when it ends, epoch ms real time; undefined: the workspace has as many as it may
 */
export async function openUpload(
  tx: Tx,
  upload: { id: string; workspaceId: string; keyId: string | null; userId: string | null; hash: Buffer },
): Promise<number | undefined> {
  await tx.exec(`select pg_advisory_xact_lock(hashtextextended('uploads of ' || $1, 0))`, [upload.workspaceId]);
  await tx.exec(
    `delete from lead_upload u
     where u.id = (
       select x.id
       from lead_upload x
       where x.workspace_id = $1 and x.state = 'open' and x.attempt > 0 and x.expires_at > clock_timestamp()
       order by x.touched_at, x.id limit 1
     )
       and (select count(*) from lead_upload u where ${COUNTS}) >= $2`,
    [upload.workspaceId, MOST_UPLOADS],
  );
  const row = await tx.row<{ expires_at: number }>(
    `insert into lead_upload (id, workspace_id, key_id, user_id, secret_hash, expires_at)
     select $2, $1, $3, $4, $5, clock_timestamp() + make_interval(mins => $6)
     where (select count(*) from lead_upload u where ${COUNTS}) < $7
     returning expires_at`,
    [upload.workspaceId, upload.id, upload.keyId, upload.userId, upload.hash, UPLOAD_MINUTES, MOST_UPLOADS],
  );
  return row?.expires_at;
}

/** Addresses `u` of the workspace $1 that take a place: open ones, and those with a file. */
const COUNTS = `u.workspace_id = $1
  and (u.state in ('receiving', 'received') or (u.state = 'open' and u.expires_at > clock_timestamp()))`;

/** An address, and what may have changed since it was given away. */
export interface Upload {
  id: string;
  workspaceId: string;
  /** API key that asked for it; null: a server did, for somebody. */
  keyId: string | null;
  userId: string | null;
  state: 'open' | 'receiving' | 'received' | 'imported';
  attempt: number;
  bytes: number;
  rows: number | null;
  encoding: TextEncodingName | null;
  expired: boolean;
  /** Of that key; null: there is none. */
  keyHash: Buffer | null;
  suspended: boolean;
}

/** The upload of an address; undefined where there is none. Under row-level security: only one of the caller's workspaces. */
export function findUpload(tx: Tx, hash: Buffer): Promise<Upload | undefined> {
  return tx.row<Upload>(
    `select
       u.id,
       u.workspace_id as "workspaceId",
       u.key_id as "keyId",
       u.user_id as "userId",
       u.state,
       u.attempt,
       u.bytes,
       u.row_count as rows,
       u.encoding,
       u.expires_at <= clock_timestamp() as expired,
       (select k.key_hash from api_key k where k.id = u.key_id) as "keyHash",
       coalesce((select w.operating_mode = 'Suspended' from workspace w where w.id = u.workspace_id), true) as suspended
     from lead_upload u
     where u.secret_hash = $1`,
    [hash],
  );
}

/**
 * Begins to take a file. What an earlier try left is gone.
 * @returns the number of the try; undefined: the address has expired, or another file is on its way or came before
 */
export async function beginUpload(tx: Tx, id: string): Promise<number | undefined> {
  const row = await tx.row<{ attempt: number }>(
    `update lead_upload
     set state = 'receiving', attempt = attempt + 1, bytes = 0, touched_at = clock_timestamp()
     where id = $1
       and expires_at > clock_timestamp()
       and (
         state = 'open'
         or (state = 'receiving' and touched_at < clock_timestamp() - make_interval(secs => $2))
       )
     returning attempt`,
    [id, LEFT_SECONDS],
  );
  if (row) await tx.exec('delete from lead_upload_part where upload_id = $1 and attempt < $2', [id, row.attempt]);
  return row?.attempt;
}

/** One try to put a file at an address. */
export interface UploadTry {
  id: string;
  workspaceId: string;
  attempt: number;
}

/** Stores a part. @returns false when the try is not the one under way any more */
export async function keepUploadPart(
  tx: Tx,
  { id, workspaceId, attempt }: UploadTry,
  place: number,
  body: Buffer,
): Promise<boolean> {
  const kept = await tx.exec(
    `with alive as (
       update lead_upload
       set bytes = bytes + length($5::bytea), touched_at = clock_timestamp()
       where id = $1 and attempt = $3 and state = 'receiving'
       returning id
     )
     insert into lead_upload_part (upload_id, workspace_id, attempt, place, body)
     select id, $2, $3, $4, $5::bytea
     from alive`,
    [id, workspaceId, attempt, place, body],
  );
  return kept > 0;
}

/** The file is whole. @returns false when the try is not the one under way any more */
export async function completeUpload(
  tx: Tx,
  { id, attempt }: UploadTry,
  file: { rows: number; encoding: TextEncodingName },
): Promise<boolean> {
  const done = await tx.exec(
    `update lead_upload
     set state = 'received', row_count = $3, encoding = $4, touched_at = clock_timestamp()
     where id = $1 and attempt = $2 and state = 'receiving'`,
    [id, attempt, file.rows, file.encoding],
  );
  return done > 0;
}

/** Gives the address back after a try that came to nothing, and forgets what came. */
export async function abandonUpload(tx: Tx, { id, attempt }: UploadTry): Promise<void> {
  await tx.exec(
    `update lead_upload set state = 'open', bytes = 0 where id = $1 and attempt = $2 and state = 'receiving'`,
    [id, attempt],
  );
  await tx.exec('delete from lead_upload_part where upload_id = $1 and attempt = $2', [id, attempt]);
}

/** A part of a whole file; undefined: there are no more. */
export async function readUploadPart(
  tx: Tx,
  { id, attempt }: Pick<Upload, 'id' | 'attempt'>,
  place: number,
): Promise<Buffer | undefined> {
  const row = await tx.row<{ body: Buffer }>(
    'select body from lead_upload_part where upload_id = $1 and attempt = $2 and place = $3',
    [id, attempt, place],
  );
  return row?.body;
}

/** Forgets a whole file that can not be imported; its address takes another one, while it lasts. */
export async function refuseUpload(tx: Tx, { id, attempt }: Pick<Upload, 'id' | 'attempt'>): Promise<void> {
  const refused = await tx.exec(
    `update lead_upload
     set state = 'open', bytes = 0, row_count = null, encoding = null, touched_at = clock_timestamp()
     where id = $1 and attempt = $2 and state = 'received'`,
    [id, attempt],
  );
  if (refused > 0) await tx.exec('delete from lead_upload_part where upload_id = $1 and attempt = $2', [id, attempt]);
}

/** Forgets a file that was imported; its address stays used until its row goes. */
export async function forgetUpload(tx: Tx, id: string): Promise<void> {
  await tx.exec(`update lead_upload set state = 'imported' where id = $1`, [id]);
  await tx.exec('delete from lead_upload_part where upload_id = $1', [id]);
}

/** Deletes what is older than an upload is kept, with its file. @returns how many */
export function purgeUploads(tx: Tx): Promise<number> {
  return tx.exec('delete from lead_upload where created_at < clock_timestamp() - make_interval(mins => $1)', [
    KEPT_MINUTES,
  ]);
}
