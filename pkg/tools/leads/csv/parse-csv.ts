import { CsvError, parse } from 'csv-parse/sync';
import { UserError } from '../../../base/errors.ts';

/** One data row with the line of the file where it begins. */
export interface CsvRow {
  /** Line of the file, from 1. */
  line: number;
  cells: string[];
}

export interface CsvFile {
  headers: string[];
  rows: CsvRow[];
}

/** Rows per import. Source: catalog svc_import_leads_csv. */
export const MAX_ROWS = 10_000;

/**
 * Parses CSV as people have it: byte order mark, comma, semicolon or tab, quoted line breaks, CRLF, short rows.
 * @throws UserError for a broken file, naming the line; nothing is imported then
 */
export function parseCsv(text: string): CsvFile {
  const delimiter = delimiterOf(text);
  const records = readRecords(text, delimiter);
  const [first, ...rest] = records;
  const headers = (first?.cells ?? []).map((cell) => cell.trim());
  if (headers.length === 0 || headers.every((header) => header === ''))
    throw broken('the first line must name the columns');
  const rows = rest.filter((row) => row.cells.some((cell) => cell.trim() !== ''));
  if (rows.length > MAX_ROWS) {
    throw new UserError(
      `Invalid input: csv: ${rows.length} rows, at most ${MAX_ROWS} per import. Split the file and call svc_import_leads_csv for each part.`,
    );
  }
  return { headers, rows };
}

function readRecords(text: string, delimiter: string): CsvRow[] {
  try {
    const parsed = parse(text, {
      bom: true,
      delimiter,
      relax_column_count: true,
      skip_empty_lines: false,
      info: true,
      max_record_size: 1_000_000,
    }) as unknown as {
      record: string[];
      info: { lines: number };
    }[];
    let line = 1;
    return parsed.map(({ record, info }) => {
      const row = { line, cells: record };
      line = info.lines + 1;
      return row;
    });
  } catch (error) {
    if (error instanceof CsvError) throw broken(error.message.replace(/\s+/g, ' '));
    throw error;
  }
}

/** The separator that occurs most in the header line, outside quotes. */
function delimiterOf(text: string): string {
  const header =
    text
      .slice(0, 20_000)
      .replace(/^\uFEFF/, '')
      .replace(/"(?:[^"]|"")*"/g, '')
      .split(/\r?\n|\r/)[0] ?? '';
  const counts = [',', ';', '\t', '|'].map((candidate) => ({ candidate, count: header.split(candidate).length - 1 }));
  return counts.sort((a, b) => b.count - a.count)[0]?.candidate ?? ',';
}

function broken(why: string): UserError {
  return new UserError(
    `Invalid input: csv: the file can't be read: ${why}. Nothing was imported; mend the file and call svc_import_leads_csv again.`,
    'BrokenFile',
  );
}
