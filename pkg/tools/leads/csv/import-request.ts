/** What svc_import_leads_csv is asked for, as its input gives it. */
export interface ImportRequest {
  mapping?: Record<string, unknown> | undefined;
  leadListId?: string | undefined;
  campaignId?: string | undefined;
  onDuplicate: 'skip' | 'fill_empty' | 'overwrite';
  tags?: string[] | undefined;
  sourceNote?: string | undefined;
}

/** Why a row was skipped, or what of the file went nowhere; `row`: line of the file. */
export interface RowProblem {
  row: number;
  field: string | null;
  message: string;
  /** The row was not imported for it. */
  skipped?: true | undefined;
}

/** The same as a person finds it: `row` as a spreadsheet counts, in which a cell with line breaks is one row, beside the line of the file. */
export interface SheetProblem extends RowProblem {
  line: number;
}

/** @param sheetRows pairs of a line and its row, where they differ */
export function asSpreadsheet(problem: RowProblem, sheetRows: ReadonlyMap<number, number>): SheetProblem {
  const { row: line, field, message, skipped } = problem;
  return { row: sheetRows.get(line) ?? line, line, field, message, ...(skipped ? { skipped } : {}) };
}

/** Where a column goes, in the words of `mapping`; null: nowhere. */
export interface MappedColumn {
  column: string;
  target: string | null;
}

export type ImportAnswer = {
  /** Absent: nothing was imported, since the answer is an address. */
  importId?: string;
  status: string;
  created: number;
  updated: number;
  skipped: number;
  suppressed: number;
  /** Leads that the file itself excludes. */
  excluded: number;
  errors: SheetProblem[];
  /** Of a dry run, in the order of the file. */
  columns?: MappedColumn[];
  /** An address that takes a file, until when, and how large it may be. */
  uploadUrl?: string;
  expiresAt?: string;
  maxBytes?: number;
  maxRows?: number;
};

/** Of an import that was done. */
export type Imported = ImportAnswer & { importId: string };

/** Row errors that an answer carries: more than anybody mends at once, and less than a client can not read. All are counted. */
export const MAX_ERRORS = 1_000;
/** Of those that svc_get_import_progress shows later. Source: catalog record Import. */
export const MAX_KEPT = 100;
/** Notes that are told however many rows were skipped: those of columns are the first. */
const FEW_NOTES = 10;

/** What an answer has room for, in its order: where that is not all, why rows were skipped before what of others was left out. */
export function asManyAsFit<T extends RowProblem>(said: readonly T[]): T[] {
  const skipped = said.filter((one) => one.skipped).length;
  let notes = Math.min(said.length - skipped, Math.max(FEW_NOTES, MAX_ERRORS - skipped));
  let rows = MAX_ERRORS - notes;
  return said.filter((one) => (one.skipped ? rows-- : notes--) > 0);
}
