import { CsvError, parse } from 'csv-parse/sync';
import { UserError } from '../../../base/errors.ts';
import { openQuoteLine } from '../../../domain/csv-cell.ts';
import { MAX_UPLOAD_ROWS } from './upload-check.ts';

/** One data row with the line of the file where it begins. */
export interface CsvRow {
  /** Line of the file, from 1. */
  line: number;
  /** Its row as a spreadsheet counts, from 1. */
  row: number;
  cells: string[];
}

export interface CsvFile {
  headers: string[];
  /** Line of the file that names the columns, from 1. */
  headerLine: number;
  rows: CsvRow[];
}

/** A part of a file that is too long to be read at once: whole records, with what the records before said. */
export interface CsvSlice {
  delimiter: string;
  /** Of its first record: line of the file, and row of a spreadsheet, from 1. */
  line: number;
  row: number;
  /** What names the columns; absent: it stands in this slice, which is the first. */
  header?: Pick<CsvFile, 'headers' | 'headerLine'> | undefined;
}

/** Rows per import. Source: catalog svc_import_leads_csv. */
const MAX_ROWS = 10_000;
/** Columns of a file: ten times what the fields of a lead and its custom fields can take. */
const MAX_COLUMNS = 2_000;
/** Networks put a few lines of remarks above the header. */
const MAX_PREAMBLE = 20;

/**
 * Parses CSV as people have it: byte order mark, comma, semicolon, tab or bar, `sep=` line, remarks above the header,
 * quoted line breaks, any line endings (also mixed), short rows.
 * @param isHeader tells the header from remarks above it; when no row is one, the first row names the columns
 * @throws UserError for a broken file, naming the line; nothing is imported then
 */
export function parseCsv(
  text: string,
  isHeader: (cells: readonly string[]) => boolean = () => true,
  slice?: CsvSlice,
): CsvFile {
  // One kind of line ending, so that lines are counted as an editor counts them, also inside quotes.
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (slice?.header) return { ...slice.header, rows: readRecords(plain, { ...slice, skipsFirst: false }).rows };
  const { delimiter, skipsFirst } = csvForm(plain, isHeader);
  const { rows: filled, count } = readRecords(plain, { delimiter, skipsFirst, line: 1, row: 1 });
  const at = filled.slice(0, MAX_PREAMBLE).findIndex((row) => isHeader(row.cells));
  const header = filled[Math.max(0, at)];
  const headers = (header?.cells ?? []).map((cell) => cell.trim());
  if (headers.length === 0) throw broken('a line must name the columns');
  if (headers.length > MAX_COLUMNS) throw broken(`it names more than ${MAX_COLUMNS} columns`);
  const rows = filled.slice(Math.max(0, at) + 1);
  const named = count - filled.length + rows.length;
  if (named > MAX_ROWS && !slice) {
    throw new UserError(
      `Invalid input: csv: ${named} rows, at most ${MAX_ROWS} in a call. Call svc_import_leads_csv without csv for an address that takes ${MAX_UPLOAD_ROWS}, or split the file.`,
      'TooManyRows',
    );
  }
  return { headers, headerLine: header?.line ?? 1, rows };
}

/** How a file separates its cells; `skipsFirst`: its first line says so. @param head the first 50,000 letters, or all of it */
export function csvForm(
  head: string,
  isHeader: (cells: readonly string[]) => boolean,
): { delimiter: string; skipsFirst: boolean } {
  const told = /^"?sep=(.)"?\n/i.exec(head)?.[1];
  return { delimiter: told ?? delimiterOf(head, isHeader), skipsFirst: told !== undefined };
}

/** Where records begin, and how their cells are separated. */
interface RecordForm {
  delimiter: string;
  skipsFirst: boolean;
  line: number;
  row: number;
}

/**
 * The records that hold something, those of a file that is too long only to the bound. Nothing is kept of the others: no array grows with
 * what a stranger repeats, for where a single one outgrows the heap of a worker thread, the whole process ends and not the worker alone.
 */
function readRecords(text: string, form: RecordForm, lax = false): { rows: CsvRow[]; count: number } {
  const { delimiter, skipsFirst } = form;
  const rows: CsvRow[] = [];
  let count = 0;
  let { line } = form;
  const keep = (given: string[], { lines, records }: { lines: number; records: number }): null => {
    const cells = lax ? given.map(withoutQuotes) : given;
    const row = {
      line,
      row: form.row - 1 + (skipsFirst ? records - 1 : records),
      cells: cells.length > MAX_COLUMNS ? cells.slice(0, MAX_COLUMNS + 1) : cells,
    };
    line = form.line + lines;
    if (skipsFirst && records === 1) return null;
    if (!cells.some((cell) => cell.trim() !== '')) return null;
    count++;
    if (rows.length <= MAX_ROWS + MAX_PREAMBLE) rows.push(row);
    return null;
  };
  try {
    parse(text, {
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: false,
      // As spreadsheets read: blanks around a quoted cell, and quotes inside one that is not quoted.
      ltrim: true,
      rtrim: !lax,
      relax_quotes: true,
      max_record_size: 1_000_000,
      on_record: keep,
    });
    return { rows, count };
  } catch (error) {
    if (!lax && error instanceof CsvError && BEHIND_QUOTE.test(error.code)) return readRecords(text, form, true);
    if (error instanceof CsvError) throw broken(plainReason(error, text, form));
    throw error;
  }
}

/** Text behind a closing quote: `"B" C`. */
const BEHIND_QUOTE = /^CSV_(?:NON_TRIMABLE_CHAR_AFTER|INVALID)_CLOSING_QUOTE$/;

/** `"B" C` is B C to a spreadsheet. */
function withoutQuotes(cell: string): string {
  const closed = /^"([^"]*)"/.exec(cell);
  return (closed ? `${closed[1]}${cell.slice(closed[0].length)}` : cell).trimEnd();
}

const DELIMITERS = [',', ';', '\t', '|'];

/** The separator that makes a line the header; else the one that occurs most in the first line. */
function delimiterOf(text: string, isHeader: (cells: readonly string[]) => boolean): string {
  const head = text.slice(0, 50_000).replace(/"(?:[^"]|"")*"/g, (quoted) => quoted.replace(/[,;\t|\n]/g, ' '));
  const lines = head.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines.slice(0, MAX_PREAMBLE)) {
    const fitting = DELIMITERS.filter((delimiter) => isHeader(cellsOf(line, delimiter)));
    if (fitting.length > 0) return mostOf(fitting, line);
  }
  return mostOf(DELIMITERS, lines[0] ?? '');
}

function cellsOf(line: string, delimiter: string): string[] {
  return line.split(delimiter).map((cell) => cell.replace(/^\s*"|"\s*$/g, ''));
}

function mostOf(delimiters: readonly string[], line: string): string {
  return delimiters.toSorted((a, b) => line.split(b).length - line.split(a).length)[0] ?? ',';
}

/** The parser quotes what it read; a person needs the place and the kind. */
function plainReason(error: CsvError, text: string, { line: first, delimiter }: RecordForm): string {
  const line = /at line (\d+)/.exec(error.message)?.[1];
  const where = line === undefined ? '' : ` (line ${Number(line) + first - 1})`;
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return `a quote is opened and never closed (line ${openQuoteLine(text, delimiter) + first - 1})`;
    case 'INVALID_OPENING_QUOTE':
      return `a quote stands inside a cell that is not quoted${where}`;
    case 'CSV_INVALID_CLOSING_QUOTE':
      return `text follows a closing quote${where}`;
    case 'CSV_MAX_RECORD_SIZE':
      return `a row is longer than a megabyte${where}`;
    default:
      return `it is no CSV${where}`;
  }
}

function broken(why: string): UserError {
  return new UserError(
    `Invalid input: csv: the file can't be read: ${why}. Nothing was imported; mend the file and call svc_import_leads_csv again.`,
    'BrokenFile',
  );
}
