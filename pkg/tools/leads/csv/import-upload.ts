import { UserError } from '../../../base/errors.ts';
import { isUuid } from '../../../base/ids.ts';
import {
  findUpload,
  forgetUpload,
  MOST_UPLOADS,
  newUploadSecret,
  openUpload,
  refuseUpload,
  type Upload,
  uploadHash,
} from '../../../store/leads/uploads.ts';
import { invalidInput, wrongState } from '../../errors.ts';
import { iso } from '../../times.ts';
import type { ToolContext } from '../../tool-context.ts';
import { importInParts } from './import-in-parts.ts';
import type { ImportAnswer, ImportRequest } from './import-request.ts';
import { asManyAsFit, asSpreadsheet, MAX_ERRORS } from './import-request.ts';
import { type ImportSource, sourceOfUpload, uploadGone } from './import-source.ts';
import { ImportPlanner } from './plan-import.ts';
import { rehearse } from './rehearse.ts';
import { storeRows } from './store-rows.ts';
import { MAX_UPLOAD_BYTES, MAX_UPLOAD_ROWS } from './upload-check.ts';

const NOTHING = { created: 0, updated: 0, skipped: 0, suppressed: 0, excluded: 0, errors: [] };

/** An address that takes a file. @throws UserError when the workspace has as many as it may */
export async function uploadAddress(ctx: ToolContext): Promise<ImportAnswer> {
  const { caller, ids, ingressUrl, workspaceId } = ctx;
  if (ingressUrl === '') throw wrongState('No ingress is set up that could take a file: give csv', 'svc_whoami');
  const { secret, hash } = newUploadSecret();
  const upload = { id: ids.uuid(), workspaceId, keyId: askedBy(ctx), userId: caller.user?.id ?? null, hash };
  // Made again it is another address: what it opens is nowhere but in its answer.
  const expires = await ctx.unrecorded((tx) => openUpload(tx, upload));
  if (expires === undefined)
    throw wrongState(
      `The workspace has ${MOST_UPLOADS} upload addresses, which is the most: import their files, or wait until the oldest ends (15 minutes without a file, an hour with one)`,
      'svc_get_import_progress',
    );
  const uploadUrl = `${ingressUrl}/uploads/${secret}`;
  const bounds = { maxBytes: MAX_UPLOAD_BYTES, maxRows: MAX_UPLOAD_ROWS };
  return { ...NOTHING, status: 'awaiting_upload', uploadUrl, expiresAt: iso(expires), ...bounds };
}

/** The key or the session that asks: it has to be good still when the file comes. Internal callers have none. */
function askedBy({ caller }: ToolContext): string | null {
  return isUuid(caller.keyId) ? caller.keyId : null;
}

/** Imports the file that was put at an address, slice by slice; then the file is forgotten. */
export async function importUpload(
  ctx: ToolContext,
  request: ImportRequest & { dryRun: boolean },
  csvUrl: string,
): Promise<ImportAnswer> {
  const hash = hashIn(csvUrl);
  const upload = await ctx.tx((tx) => findUpload(tx, hash));
  if (!upload || !isOwn(ctx, upload)) throw invalidInput('csvUrl', NO_ADDRESS);
  if (upload.state === 'imported') {
    const earlier = await ctx.earlier<ImportAnswer>(ctx.workspaceId);
    if (earlier) return earlier;
    throw uploadGone();
  }
  if (upload.state !== 'received')
    throw wrongState(
      'No whole file came to this address: PUT one there, then make this call again',
      'svc_import_leads_csv',
    );
  const source = await sourceOfUpload(ctx, request, upload).catch((error: unknown) => refuseBroken(ctx, upload, error));
  if (request.dryRun) return rehearseSlices(ctx, request, source);
  const answer = await importInParts(ctx, request, source);
  await ctx.unrecorded((tx) => forgetUpload(tx, upload.id));
  return answer;
}

/** A file that can not be read gives its place back: the mended one comes to the same address, while that lasts. */
async function refuseBroken(ctx: ToolContext, upload: Upload, error: unknown): Promise<never> {
  if (!(error instanceof UserError) || error.reason !== 'BrokenFile') throw error;
  await ctx.unrecorded((tx) => refuseUpload(tx, upload));
  const way = upload.expired
    ? 'Call svc_import_leads_csv without csv and csvUrl for a new address.'
    : 'PUT the mended file to the same address, and make this call again.';
  throw new UserError(`${error.message} The file was forgotten. ${way}`, error.reason);
}

const NO_ADDRESS =
  'must be an uploadUrl that svc_import_leads_csv gave you for this workspace; nothing is fetched from elsewhere';

function hashIn(csvUrl: string): Buffer {
  const secret = /\/uploads\/([A-Za-z0-9_-]{43})$/.exec(csvUrl)?.[1];
  if (secret === undefined) throw invalidInput('csvUrl', NO_ADDRESS);
  return uploadHash(secret);
}

/** An address belongs to the member who asked for it, or to the key of a workspace that did. */
function isOwn(ctx: ToolContext, { workspaceId, userId, keyId }: Upload): boolean {
  if (workspaceId !== ctx.workspaceId) return false;
  return userId === null ? keyId === askedBy(ctx) : userId === ctx.caller.user?.id;
}

/** Slice by slice, each rolled back: a person whom two slices name counts in each. */
async function rehearseSlices(ctx: ToolContext, request: ImportRequest, source: ImportSource): Promise<ImportAnswer> {
  const answer: ImportAnswer = { ...NOTHING, status: 'dry_run', skipped: source.skipped, errors: [] };
  const said = [...source.problems];
  for await (const { leads, sheetRows } of source.slices()) {
    const { stored } = await rehearse(ctx, async (tx) => {
      const planner = new ImportPlanner(request.onDuplicate);
      return { status: '', stored: await storeRows(ctx, tx, request, leads, planner, [], () => undefined) };
    });
    for (const name of ['created', 'updated', 'suppressed', 'excluded'] as const) answer[name] += stored[name];
    answer.skipped += stored.problems.length;
    const room = Math.max(0, 2 * MAX_ERRORS - said.length);
    for (const one of [...stored.problems, ...stored.notes].slice(0, room)) said.push(asSpreadsheet(one, sheetRows));
  }
  const errors = asManyAsFit([...source.notes, ...said.sort((a, b) => a.line - b.line)]);
  return { ...answer, importId: ctx.ids.uuid(), errors, columns: source.mapped };
}
