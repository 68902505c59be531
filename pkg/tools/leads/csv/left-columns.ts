import { isUnclearConsent, mayBeState, stateOf } from '../../../domain/opt-out-cell.ts';
import { looksLikeOptOut } from '../../../domain/opt-out-column.ts';
import type { ColumnTarget } from './headers.ts';
import type { CsvFile } from './parse-csv.ts';

/** Columns that the note names, and characters of a name. */
const MOST_NAMED = 20;
const LONGEST_NAME = 60;

/**
 * What an import says of columns that hold something and go nowhere: their header is not known, or another column goes to its field
 * already. No row is skipped for them. @returns nothing when each column went somewhere
 */
export function leftColumns(
  { headers, headerLine, rows }: CsvFile,
  targets: readonly ColumnTarget[],
): { row: number; field: null; message: string }[] {
  const { lost, saying, unclear } = lookAt(rows, targets);
  const named = (which: (header: string, index: number) => boolean): string[] =>
    headers.flatMap((header, index) => (which(header, index) ? [nameOf(header, index)] : []));
  const isSuspect = (header: string, index: number): boolean =>
    saying.has(index) || (lost.has(index) && looksLikeOptOut(header));
  const suspects = named(isSuspect);
  const unknown = named((_, index) => unclear.has(index));
  const left = named((header, index) => lost.has(index) && !isSuspect(header, index));
  const notes = [
    ...(suspects.length === 0 ? [] : [{ row: headerLine, field: null, message: warningOf(suspects) }]),
    ...(unknown.length === 0 ? [] : [{ row: headerLine, field: null, message: unclearOf(unknown) }]),
  ];
  if (left.length === 0) return notes;
  const rest = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : '';
  const names = `${left.slice(0, MOST_NAMED).join(', ')}${rest}`;
  const message = `these columns were not imported: ${names}; to keep one, name its lead field or customFields.<name> in mapping and import again`;
  return [...notes, { row: headerLine, field: null, message }];
}

/** Columns by position: with cells that go nowhere, with cells that say who said no, and of consent with cells that say neither. */
function lookAt(
  rows: CsvFile['rows'],
  targets: readonly ColumnTarget[],
): { lost: Set<number>; saying: Set<number>; unclear: Set<number> } {
  const found = { lost: new Set<number>(), saying: new Set<number>(), unclear: new Set<number>() };
  // Each cell once: a file may name as many columns as it has rows.
  for (const { cells } of rows)
    for (const [index, cell] of cells.entries()) {
      const target = targets[index];
      if (target === undefined || cell.trim() === '') continue;
      if (target === null) found.lost.add(index);
      if (!found.saying.has(index) && mayExclude(target, cell)) found.saying.add(index);
      if (isConsent(target) && !found.unclear.has(index) && isUnclearConsent(cell)) found.unclear.add(index);
    }
  return found;
}

/** A cell is a state or a wish at most so long: longer ones are notes, in which words of it mean other things. */
const LONGEST_STATE = 60;

/** Whether a cell may say of its person that they must not be contacted, in a column that excludes nobody for it. */
function mayExclude(target: Exclude<ColumnTarget, undefined>, cell: string): boolean {
  if (target !== null && ('field' in target || target.optOut !== undefined)) return false;
  return cell.length <= LONGEST_STATE && mayBeState(cell) && ['unsubscribe', 'import'].includes(stateOf(cell) ?? '');
}

function isConsent(target: Exclude<ColumnTarget, undefined>): boolean {
  return target !== null && 'optOut' in target && target.optOut === 'consent';
}

/** Told before all others: the people of such a column would be written to. */
function warningOf(suspects: readonly string[]): string {
  const names = suspects.slice(0, MOST_NAMED).join(', ');
  return `these columns may say who must not be contacted, and nobody was excluded for them: ${names}; if they do, name doNotContact, unsubscribed, bounced or contactStatus for them in mapping (consent where a no says it) and import again before a workflow starts`;
}

/** A column of consent that is read as one, with cells in it that are neither a yes nor a no. */
function unclearOf(columns: readonly string[]): string {
  const names = columns.slice(0, MOST_NAMED).join(', ');
  return `these columns say who agreed to be contacted, and some cells say neither yes nor no, which excluded nobody: ${names}; write yes or no there and import again before a workflow starts`;
}

function nameOf(header: string, index: number): string {
  return header === '' ? `column ${index + 1}` : `"${header.slice(0, LONGEST_NAME).toWellFormed()}"`;
}
