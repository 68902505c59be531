import { UserError } from '../../../base/errors.ts';
import { readUploadPart, type Upload } from '../../../store/leads/uploads.ts';
import type { ToolContext } from '../../tool-context.ts';
import { CsvSlices } from './csv-slices.ts';
import {
  asSpreadsheet,
  type ImportRequest,
  MAX_ERRORS,
  type MappedColumn,
  type SheetProblem,
} from './import-request.ts';
import { type ImportFile, readSlice } from './read-file.ts';

/** Rows of a part: what it locks is free again after a second or two. */
export const PART_ROWS = 1_000;

/** Where the rows of an import come from: a file at once, or slice by slice. */
export interface ImportSource {
  leads: number;
  parts: number;
  /** Rows that give no lead, and the first of them. */
  skipped: number;
  problems: readonly SheetProblem[];
  /** What skips no row: of columns, then the first of rows. */
  notes: readonly SheetProblem[];
  /** Where its columns go. */
  mapped: MappedColumn[];
  /** The same slices each time. */
  slices(): AsyncIterable<ImportFile> | Iterable<ImportFile>;
}

/** Parts of a slice. */
export function partsOf({ leads }: Pick<ImportFile, 'leads'>): number {
  return Math.ceil(leads.length / PART_ROWS);
}

/** A file that is in memory. */
export function sourceOf(file: ImportFile): ImportSource {
  const told = new Told();
  told.add(file);
  return told.source(() => [file]);
}

/**
 * A file that was put at an upload address. It is read once as a whole before anything is stored: a broken one stores nothing.
 * @throws UserError for a broken one, for one that identifies nobody, and for one that costs too much
 */
export async function sourceOfUpload(ctx: ToolContext, request: ImportRequest, upload: Upload): Promise<ImportSource> {
  const told = new Told();
  for await (const file of slicesOf(ctx, request, upload)) told.add(file);
  return told.source(() => slicesOf(ctx, request, upload));
}

/** Gathers what all slices say, the first of it only where it could be as long as the file. */
class Told {
  readonly #columns = new Map<string, SheetProblem>();
  readonly #notes: SheetProblem[] = [];
  readonly #problems: SheetProblem[] = [];
  #mapped: MappedColumn[] | undefined;
  #leads = 0;
  #parts = 0;
  #skipped = 0;

  add(file: ImportFile): void {
    const { leads, problems, columns, mapped, notes, sheetRows } = file;
    this.#mapped ??= mapped;
    this.#leads += leads.length;
    this.#parts += partsOf(file);
    this.#skipped += problems.length;
    for (const one of columns)
      if (!this.#columns.has(one.message)) this.#columns.set(one.message, asSpreadsheet(one, sheetRows));
    for (const [all, more] of [
      [this.#notes, notes],
      [this.#problems, problems],
    ] as const)
      for (const one of more.slice(0, MAX_ERRORS - all.length)) all.push(asSpreadsheet(one, sheetRows));
  }

  source(slices: ImportSource['slices']): ImportSource {
    const notes = [...[...this.#columns.values()].slice(0, MAX_ERRORS), ...this.#notes];
    return {
      leads: this.#leads,
      parts: this.#parts,
      skipped: this.#skipped,
      problems: this.#problems,
      notes,
      mapped: this.#mapped ?? [],
      slices,
    };
  }
}

async function* slicesOf(ctx: ToolContext, request: ImportRequest, upload: Upload): AsyncGenerator<ImportFile> {
  const decoder = new TextDecoder(upload.encoding ?? 'utf-8');
  const cut = new CsvSlices(request.mapping ?? {});
  let bytes = 0;
  for (let place = 0; ; place++) {
    ctx.signal.throwIfAborted();
    const part = await ctx.tx((tx) => readUploadPart(tx, upload, place));
    bytes += part?.length ?? 0;
    if (!part && bytes < upload.bytes) throw uploadGone();
    cut.add(part ? decoder.decode(part, { stream: true }) : decoder.decode());
    for (let slice = cut.next(!part); slice; slice = cut.next(!part)) {
      const file = await readSlice(ctx, request, slice);
      cut.named(file.header);
      yield file;
    }
    if (!part) return;
  }
}

/** The file of an upload address is not there any more. */
export function uploadGone(): UserError {
  return new UserError(
    'Invalid input: csvUrl: the file was imported already, or is gone: it is kept for less than an hour. Call svc_get_import_progress, or svc_import_leads_csv without csv and csvUrl for a new address.',
    'UploadGone',
  );
}
