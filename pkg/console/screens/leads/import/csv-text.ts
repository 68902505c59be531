import { afterLetter, type CellState } from '../../../../domain/csv-cell.ts';

/** A record of a file as it stands there. */
interface CsvRecord {
  /** Line of the file on which it begins, from 1. */
  line: number;
  cells: string[];
}

const DELIMITERS = [',', ';', '\t', '|'];
/** Records above the one that names the columns: remarks of an export. */
const MOST_ABOVE = 20;

/** One kind of line end, and no byte order mark: lines are counted as the server counts them. */
export function plainText(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

/** The records of a text, those that hold something; a quote inside a cell that is not quoted is a letter. @param most how many are read */
export function readRecords(text: string, delimiter: string, most = Number.POSITIVE_INFINITY): CsvRecord[] {
  const records: CsvRecord[] = [];
  let state: CellState = 'start';
  let cells: string[] = [];
  let from = 0;
  let line = 1;
  let began = 1;
  const endCell = (at: number): void => {
    cells.push(cellOf(text.slice(from, at)));
    from = at + 1;
    state = 'start';
  };
  const endRecord = (at: number): void => {
    endCell(at);
    if (cells.some((cell) => cell !== '')) records.push({ line: began, cells });
    cells = [];
  };
  for (let at = 0; at < text.length && records.length < most; at++) {
    const letter = text[at] ?? '';
    if (letter === '\n') line++;
    if (state === 'quoted') state = afterLetter(state, letter, delimiter);
    else if (letter === delimiter) endCell(at);
    else if (letter === '\n') {
      endRecord(at);
      began = line;
    } else state = afterLetter(state, letter, delimiter);
  }
  if (records.length < most && (from < text.length || cells.length > 0)) endRecord(text.length);
  return records;
}

/** What a cell says, without the quotes around it; what stands behind them belongs to it, as to a spreadsheet. */
function cellOf(raw: string): string {
  const text = raw.trim();
  if (!text.startsWith('"')) return text;
  const [, inside = '', behind = ''] = /^"((?:[^"]|"")*)"?(.*)$/s.exec(text) ?? [];
  return `${inside.replaceAll('""', '"')}${behind}`.trim();
}

/** How a file separates its cells, which record names its columns, and what stands below. */
export interface CsvTable {
  delimiter: string;
  /** Of the record that names the columns. */
  headerLine: number;
  columns: string[];
  /** The records below it. */
  rows: CsvRecord[];
}

/**
 * The table of a text.
 * @param known columns as the server found them; without them the first record that looks like a head is one
 * @param most rows that are read
 */
export function tableOf(text: string, known: readonly string[] | undefined, most?: number): CsvTable | undefined {
  const told = /^"?sep=(.)"?\n/i.exec(text)?.[1];
  const tries = told === undefined ? DELIMITERS : [told];
  const heads = tries.map((delimiter) => ({ delimiter, records: readRecords(text, delimiter, MOST_ABOVE) }));
  const found =
    known === undefined
      ? guessed(heads)
      : heads.flatMap(({ delimiter, records }) => {
          const header = records.find(({ cells }) => names(cells, known));
          return header ? [{ delimiter, header }] : [];
        })[0];
  if (!found) return undefined;
  const { delimiter, header } = found;
  const above =
    heads.find((one) => one.delimiter === delimiter)?.records.findIndex((one) => one.line === header.line) ?? 0;
  const all = readRecords(text, delimiter, most === undefined ? undefined : most + above + 1);
  return {
    delimiter,
    headerLine: header.line,
    columns: header.cells,
    rows: all.filter(({ line }) => line > header.line),
  };
}

/** The server cuts long names and tells of the first columns alone. */
function names(cells: readonly string[], known: readonly string[]): boolean {
  if (known.length === 0 || cells.length < known.length) return false;
  return known.every(
    (name, index) =>
      (cells[index] ?? '').startsWith(name.replace(/\uFFFD$/, '')) && (name !== '' || cells[index] === ''),
  );
}

/** The record with the most cells of the first few, by the separator that makes it. */
function guessed(
  heads: readonly { delimiter: string; records: readonly CsvRecord[] }[],
): { delimiter: string; header: CsvRecord } | undefined {
  let best: { delimiter: string; header: CsvRecord } | undefined;
  for (const { delimiter, records } of heads)
    for (const header of records.slice(0, MOST_ABOVE))
      if (!best || header.cells.length > best.header.cells.length) best = { delimiter, header };
  return best;
}

/** A cell as it is written: in quotes where it has to be. */
function written(cell: string, delimiter: string): string {
  return cell.includes(delimiter) || /["\n\r]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A spreadsheet takes a cell that begins so for a formula; what is a file's own text stays as it is, ours never begins so. */
const FORMULA = /^[=+\-@\t\r]/;

/** The column in which a file to be mended says what is to be mended; an import knows no such column, and leaves it out. */
export const REASON_COLUMN = 'Why it was skipped';

/** A row that was not imported. */
export interface SkippedRow {
  /** As a spreadsheet counts. */
  row: number;
  line: number;
  reasons: string[];
  /** Names of the columns that are meant. */
  columns: string[];
}

/** The rows that were skipped, with their head and their reasons, as a file to be mended and imported again. @param mended cells by `line/column` */
export function fileToMend(
  table: CsvTable,
  skipped: readonly SkippedRow[],
  mended: ReadonlyMap<string, string> = new Map(),
  withReasons = true,
): string {
  const { delimiter, columns } = table;
  const rows = new Map(table.rows.map((row) => [row.line, row]));
  const has = columns.indexOf(REASON_COLUMN);
  const isReason = (index: number): boolean => index === has;
  const lineOf = (cells: readonly string[], last: string): string => {
    const own = cells.filter((_, index) => !isReason(index)).map((cell) => written(cell, delimiter));
    return [...own, ...(withReasons ? [written(last, delimiter)] : [])].join(delimiter);
  };
  const lines = skipped.flatMap(({ line, reasons }) => {
    const row = rows.get(line);
    if (!row) return [];
    const cells = columns.map((_, index) => mended.get(`${line}/${index}`) ?? row.cells[index] ?? '');
    const reason = reasons.join('; ');
    return [lineOf(cells, FORMULA.test(reason) ? `'${reason}` : reason)];
  });
  return `${[lineOf(columns, REASON_COLUMN), ...lines].join('\r\n')}\r\n`;
}
