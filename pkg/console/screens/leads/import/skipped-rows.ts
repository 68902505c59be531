import { type CsvTable, type SkippedRow, tableOf } from './csv-text.ts';
import type { ImportAnswer } from './import-types.ts';

/** Rows that an answer says were skipped, each once with all its reasons, and the columns that they mean. */
export function skippedOf(
  answer: ImportAnswer,
  targets: readonly { name: string; target: string | null }[],
): SkippedRow[] {
  const rows = new Map<number, SkippedRow>();
  for (const { row, line, field, message, skipped } of answer.errors) {
    if (!skipped) continue;
    const known = rows.get(line) ?? { row, line, reasons: [], columns: [] };
    known.reasons.push(message);
    const column = targets.find((one) => one.target === field)?.name;
    if (column !== undefined && !known.columns.includes(column)) known.columns.push(column);
    rows.set(line, known);
  }
  return [...rows.values()].sort((a, b) => a.line - b.line);
}

/** The cells of a file, where it is understood as the server understood it. */
export function wholeTable(text: string, answer: ImportAnswer | undefined): CsvTable | undefined {
  const names = answer?.columns?.map(({ column }) => column);
  return names === undefined ? undefined : tableOf(text, names);
}

/** Columns by which a person is known: they are shown where a reason names no column. */
const WHO: readonly string[] = ['fullName', 'firstName', 'lastName', 'email', 'profileUrl', 'company'];

/** Places of the columns that are shown for mending: those that reasons name, and those that say who it is. */
export function shownColumns(
  columns: readonly { name: string; target: string | null }[],
  skipped: readonly SkippedRow[],
): number[] {
  const named = new Set(skipped.flatMap((row) => row.columns));
  return columns.flatMap(({ name, target }, place) =>
    named.has(name) || (target !== null && WHO.includes(target)) ? [place] : [],
  );
}
