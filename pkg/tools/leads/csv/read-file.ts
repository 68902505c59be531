import { UserError } from '../../../base/errors.ts';
import { ForeignBusy, ForeignOverrun } from '../../../base/foreign-bytes/overrun.ts';
import { ParsePool } from '../../../base/foreign-bytes/parse-pool.ts';
import { workerFile } from '../../../base/foreign-bytes/worker-file.ts';
import type { ImportLead } from '../../../store/leads/imports.ts';
import { invalidInput } from '../../errors.ts';
import type { ToolContext } from '../../tool-context.ts';
import type { CsvAnswer, CsvInput } from './csv-worker.ts';
import type { ImportRequest, RowProblem } from './import-request.ts';
import type { CsvSlice } from './parse-csv.ts';
import { type CsvReading, readCsv } from './read-csv.ts';

/** As the node type lead:tag allows. */
const LONGEST_TAG = 60;
/**
 * Characters of a file that are read in the server's own process, where a worker's start would cost more: `readCsv` is linear, so that
 * they cost milliseconds and some megabytes whatever they are.
 */
const SMALL = 64 * 1024;
const SMALL_MAPPING = 100;
/** A file of 5 MB takes 60 MB of heap and about a second. */
const LIMITS = { workers: 2, heapMb: 160, withinMs: 20_000, queued: 32, queuedOfOne: 4 };

/** What a file says: leads, rows that give none, and notes that skip no row. */
export interface ImportFile extends Omit<CsvReading, 'leads'> {
  leads: ImportLead[];
  problems: RowProblem[];
}

let shared: ParsePool | undefined;

/** Reads a file. @throws UserError for a broken one, for one that identifies nobody, and for one that costs too much */
export async function readFile(
  ctx: Pick<ToolContext, 'ids' | 'workspaceId'>,
  request: Pick<ImportRequest, 'mapping' | 'tags'> & { csv: string },
  pool?: ParsePool,
): Promise<ImportFile> {
  requireTags(request);
  const { csv, mapping = {} } = request;
  const small = csv.length <= SMALL && Object.keys(mapping).length <= SMALL_MAPPING;
  const read = small ? readCsv(csv, mapping) : await readApart(ctx.workspaceId, { csv, mapping }, pool);
  return withIds(ctx, read);
}

/** Reads a slice of a file that is too long to be read at once. @throws as `readFile` */
export async function readSlice(
  ctx: Pick<ToolContext, 'ids' | 'workspaceId'>,
  request: Pick<ImportRequest, 'mapping' | 'tags'>,
  slice: CsvSlice & { text: string },
): Promise<ImportFile> {
  requireTags(request);
  const { text, ...place } = slice;
  return withIds(ctx, await readApart(ctx.workspaceId, { csv: text, mapping: request.mapping ?? {}, slice: place }));
}

function requireTags({ tags = [] }: Pick<ImportRequest, 'tags'>): void {
  const odd = tags.findIndex((tag) => tag === '' || tag.length > LONGEST_TAG);
  if (odd >= 0) throw invalidInput(`tags.${odd}`, `must have 1 to ${LONGEST_TAG} characters`);
}

function withIds(ctx: Pick<ToolContext, 'ids'>, read: CsvReading): ImportFile {
  return { ...read, leads: read.leads.map((lead) => ({ ...lead, id: ctx.ids.uuid() })) };
}

/** Reads a file in a worker with limits of memory and time. */
async function readApart(workspaceId: string, input: CsvInput, pool?: ParsePool): Promise<CsvReading> {
  shared ??= new ParsePool(workerFile('csv-worker', import.meta.url), LIMITS);
  const answer = await (pool ?? shared).parse<CsvAnswer>(workspaceId, input).catch((error: unknown) => {
    throw refusalOf(error);
  });
  if ('refused' in answer) throw new UserError(answer.refused, answer.reason);
  return answer.read;
}

function refusalOf(error: unknown): unknown {
  const again = 'Split the file, or leave out columns that are not needed, and call svc_import_leads_csv again.';
  if (error instanceof ForeignOverrun)
    return new UserError(
      `Invalid input: csv: the file can't be read: ${error.message}. Nothing was imported. ${again}`,
      'BrokenFile',
    );
  if (error instanceof ForeignBusy)
    return new UserError(
      'Too many files wait to be read, or this server is stopping. Nothing was imported: make the same call again in a minute.',
      'TooManyAtOnce',
    );
  return error;
}
