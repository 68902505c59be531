import type { IncomingMessage } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { takeParts } from '../base/http/body-parts.ts';
import { HttpError } from '../base/http/http-error.ts';
import { roleAllows } from '../domain/role-scopes.ts';
import { TENANT_SCOPES } from '../domain/scopes.ts';
import type { Database, Scope, Tx } from '../postgres/database.ts';
import { workspacesOfSession } from '../store/console/console-sessions.ts';
import {
  abandonUpload,
  beginUpload,
  completeUpload,
  findUpload,
  keepUploadPart,
  type Upload,
  type UploadTry,
  uploadHash,
} from '../store/leads/uploads.ts';
import { findKey, hashKey, type KeyRecord } from '../store/tenancy/api-keys.ts';
import { MAX_UPLOAD_BYTES, UploadCheck } from '../tools/leads/csv/upload-check.ts';
import type { BodyRoom } from './body-room.ts';
import type { IngressAnswer } from './ingress-answer.ts';

/** What taking files needs. */
export interface UploadServices {
  db: Database;
  /** Real time. */
  clock: Clock;
  /** Shared with the bodies of calls. */
  room: BodyRoom;
}

/** Even, so that no letter of UTF-16 is cut. */
const PART_BYTES = 512 * 1024;
/** Real ms without a byte: a phone that changes its cell is away for so long. */
const IDLE_MS = 15_000;
/** What the address is good for, whatever was changed since it was given away. */
const USE = { scope: 'leads:write' };
const AGAIN = 'Call svc_import_leads_csv without csv and csvUrl for a new address.';
const SAVE_AS = 'Save it as CSV (UTF-8) and PUT it to the same address again; nothing was kept.';

/**
 * The address of a file of leads. PUT takes one, once, for the member who asked for it: the key must still be good, with its scope in its
 * workspace. It goes to the database part by part under row-level security, and comes out by svc_import_leads_csv alone.
 */
export async function answerUpload(
  services: UploadServices,
  request: IncomingMessage,
  secret: string,
): Promise<IngressAnswer> {
  if (request.method !== 'PUT') {
    const error = 'PUT the CSV file here, as it is. What was put here is never shown: svc_import_leads_csv imports it.';
    return { status: 405, body: { error } };
  }
  const { db } = services;
  const { authorization } = request.headers;
  const upload = await db.tx({ kind: 'platform' }, (tx) => requireUpload(tx, uploadHash(secret), authorization));
  const { id, workspaceId } = upload;
  const scope = {
    kind: 'workspaces' as const,
    ids: [workspaceId],
    caller: upload.userId ?? upload.keyId ?? 'internal',
  };
  const attempt = await db.tx(scope, (tx) => beginUpload(tx, id));
  if (attempt === undefined) throw new HttpError(409, `A file is on its way to this address, or came before. ${AGAIN}`);
  const at = { id, workspaceId, attempt };
  try {
    requireFile(request);
    const { rows, bytes } = await receive(services, request, scope, at, upload);
    const next = 'Call svc_import_leads_csv with csvUrl set to this address.';
    return { status: 201, body: { bytes, rows, next } };
  } catch (error) {
    await db.tx(scope, (tx) => abandonUpload(tx, at));
    throw error;
  }
}

/** @throws HttpError 413, 415 for what is no file of leads by its head */
function requireFile({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES)
    throw refused(413, `is larger than ${MAX_UPLOAD_BYTES} bytes`);
  if (headers['content-type']?.startsWith('multipart/'))
    throw refused(415, 'comes as a form: send its bytes alone, as curl --upload-file does');
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (encoding !== 'identity') throw refused(415, 'is compressed');
}

function refused(status: 413 | 415, why: string): HttpError {
  const advice = status === 413 ? `Split it; each part needs an address of its own. ${AGAIN}` : SAVE_AS;
  return new HttpError(status, `The file ${why}. ${advice}`, { connection: 'close' });
}

type Asker = Pick<KeyRecord, 'workspaces'> & { scopes: readonly string[] };

/** The upload of an address that may be used now. @throws HttpError 404, 409, 410, 403 */
async function requireUpload(tx: Tx, hash: Buffer, authorization: string | undefined): Promise<Upload> {
  const upload = await findUpload(tx, hash);
  if (!upload) throw new HttpError(404, `This address is not known. ${AGAIN}`);
  if (upload.state === 'received' || upload.state === 'imported')
    throw new HttpError(409, `A file came to this address before. Call svc_import_leads_csv with it as csvUrl.`);
  if (upload.expired) throw new HttpError(410, `This address has expired. ${AGAIN}`);
  if (upload.suspended) throw new HttpError(403, 'The workspace is suspended. Call svc_get_workspace.');
  if (upload.keyId !== null) requireScope(upload, await askerOf(tx, upload.keyId, upload.keyHash));
  if (authorization !== undefined) await requireOwn(tx, upload, authorization);
  return upload;
}

/** The key that asked for an address, or the session of the console; undefined: it is revoked, or over. */
async function askerOf(tx: Tx, id: string, keyHash: Buffer | null): Promise<Asker | undefined> {
  if (keyHash !== null) return findKey(tx, keyHash);
  const workspaces = await workspacesOfSession(tx, id);
  return workspaces && { scopes: TENANT_SCOPES, workspaces };
}

function requireScope({ workspaceId }: Upload, key: Asker | undefined): void {
  if (!key) throw new HttpError(403, 'The key that asked for this address is revoked. Ask for one with another key.');
  const home = key.workspaces.find((one) => one.workspaceId === workspaceId && one.eraseAt === null);
  const allowed =
    home !== undefined &&
    key.scopes.includes(USE.scope) &&
    (home.scopeLimit === null || home.scopeLimit.includes(USE.scope)) &&
    roleAllows(home.role, USE);
  if (!allowed)
    throw new HttpError(403, `Scope ${USE.scope} is required in the workspace, and was taken away. Call svc_whoami.`);
}

/** The address alone is enough; a key that is sent with it must be one of the same member. */
async function requireOwn(tx: Tx, { userId, keyId }: Upload, authorization: string): Promise<void> {
  const sent = /^Bearer (\S+)$/i.exec(authorization)?.[1];
  const key = sent === undefined ? undefined : await findKey(tx, hashKey(sent));
  const same = key !== undefined && (userId === null ? key.id === keyId : key.user?.id === userId);
  if (!same) throw new HttpError(403, 'This address belongs to another member. Send your own, or no Authorization.');
}

async function receive(
  { db, clock, room }: UploadServices,
  request: IncomingMessage,
  scope: Scope,
  at: UploadTry,
  { userId, workspaceId }: Upload,
): Promise<{ rows: number; bytes: number }> {
  const check = new UploadCheck();
  const holders = [`workspace ${workspaceId}`, ...(userId === null ? [] : [`user ${userId}`])];
  let place = 0;
  await takeParts(
    request,
    { partBytes: PART_BYTES, idleMs: IDLE_MS, clock },
    (ended) => room.enter(holders, PART_BYTES, ended),
    async (part) => {
      const wrong = check.add(part);
      if (wrong) throw refused(wrong.status, wrong.why);
      const kept = await db.tx(scope, (tx) => keepUploadPart(tx, at, place++, part));
      if (!kept) throw new HttpError(409, `Another try to this address is under way. ${AGAIN}`);
    },
  );
  const file = check.end();
  if (!file) throw refused(415, 'is empty');
  const done = await db.tx(scope, (tx) => completeUpload(tx, at, file));
  if (!done) throw new HttpError(409, `Another try to this address is under way. ${AGAIN}`);
  return file;
}
