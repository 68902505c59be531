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
  // Each cell once: a file may name as many columns as it has rows.
  const lost = new Set<number>();
  for (const { cells } of rows)
    for (const [index, cell] of cells.entries()) if (targets[index] === null && cell.trim() !== '') lost.add(index);
  const kept = headers.flatMap((header, index) => (lost.has(index) ? [{ header, name: nameOf(header, index) }] : []));
  const suspects: string[] = [];
  const left: string[] = [];
  for (const { header, name } of kept) (looksLikeOptOut(header) ? suspects : left).push(name);
  const notes = suspects.length === 0 ? [] : [{ row: headerLine, field: null, message: warningOf(suspects) }];
  if (left.length === 0) return notes;
  const rest = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : '';
  const names = `${left.slice(0, MOST_NAMED).join(', ')}${rest}`;
  const message = `these columns were not imported: ${names}; to keep one, name its lead field or customFields.<name> in mapping and import again`;
  return [...notes, { row: headerLine, field: null, message }];
}

/** Told before all others: the people of such a column would be written to. */
function warningOf(suspects: readonly string[]): string {
  const names = suspects.slice(0, MOST_NAMED).join(', ');
  return `these columns may say who must not be contacted, and nobody was excluded for them: ${names}; if they do, name doNotContact, unsubscribed, bounced or contactStatus for them in mapping and import again before a workflow starts`;
}

function nameOf(header: string, index: number): string {
  return header === '' ? `column ${index + 1}` : `"${header.slice(0, LONGEST_NAME).toWellFormed()}"`;
}
