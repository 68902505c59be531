import { UserError } from '../../../base/errors.ts';
import type { ImportLead } from '../../../store/leads/imports.ts';
import { invalidInput } from '../../errors.ts';
import { MAX_CUSTOM_FIELDS } from '../lead-fields.ts';
import { looksLikeHeader, mapColumns, targetName } from './headers.ts';
import type { MappedColumn, RowProblem } from './import-request.ts';
import { leadOfRow } from './lead-of-row.ts';
import { leftColumns } from './left-columns.ts';
import { type CsvFile, type CsvSlice, parseCsv } from './parse-csv.ts';

/** What a file says: leads that have no id yet, rows that give none, and notes that skip no row. */
export interface CsvReading {
  leads: Omit<ImportLead, 'id'>[];
  problems: RowProblem[];
  notes: RowProblem[];
  /** Of columns that went nowhere; told before the notes of rows. */
  columns: RowProblem[];
  /** Where the first columns go. */
  mapped: MappedColumn[];
  /** The row of a spreadsheet by the line of the file, where they differ. */
  sheetRows: Map<number, number>;
  /** What names the columns. */
  header: Pick<CsvFile, 'headers' | 'headerLine'>;
}

/** Columns of which an answer says where they go, and characters of a name. */
const MOST_MAPPED = 500;
const LONGEST_NAME = 200;

/**
 * Reads a file, or a slice of one. Its cost is linear in the text and the mapping: each character is looked at a bounded number of times, each cell once.
 * @throws UserError for a broken one, and for one that identifies nobody
 */
export function readCsv(csv: string, mapping: Record<string, unknown>, slice?: CsvSlice): CsvReading {
  const file = parseCsv(csv, (cells) => looksLikeHeader(cells, mapping), slice);
  const { targets, problem } = mapColumns(file.headers, mapping);
  if (problem !== null) throw new UserError(`Invalid input: ${problem}`);
  if (targets.filter((target) => target !== null && 'custom' in target).length > MAX_CUSTOM_FIELDS) {
    throw invalidInput(
      'mapping',
      `names more than ${MAX_CUSTOM_FIELDS} custom fields, which is the most that a lead has`,
    );
  }
  const found = new Set(targets.flatMap((target) => (target && 'field' in target ? [target.field] : [])));
  const named = found.has('fullName') || (found.has('firstName') && found.has('lastName'));
  if (!found.has('email') && !found.has('profileUrl') && !(named && found.has('company'))) {
    throw new UserError(
      'Invalid input: csv: no column identifies a person (email, profileUrl, or name and company). Name them with mapping and call svc_import_leads_csv again.',
      'NoIdentity',
    );
  }
  const leads: CsvReading['leads'] = [];
  const problems: RowProblem[] = [];
  const notes: RowProblem[] = [];
  for (const row of file.rows) {
    const result = leadOfRow(row, targets);
    if ('message' in result)
      problems.push({ row: result.line, field: result.field, message: result.message, skipped: true });
    else {
      const { lead } = result;
      for (const note of result.notes) notes.push({ row: lead.line, ...note });
      leads.push({
        ...lead.fields,
        line: lead.line,
        profileId: lead.profileId,
        email: lead.email,
        companyKey: lead.companyKey,
        customFields: lead.customFields,
        matchKeys: lead.matchKeys,
        exclusion: lead.exclusion,
      });
    }
  }
  const sheetRows = new Map(file.rows.flatMap(({ line, row }) => (line === row ? [] : [[line, row] as const])));
  const header = { headers: file.headers, headerLine: file.headerLine };
  const mapped = file.headers.slice(0, MOST_MAPPED).map((column, index) => ({
    column: column.slice(0, LONGEST_NAME).toWellFormed(),
    target: targetName(targets[index] ?? null),
  }));
  return { leads, problems, columns: leftColumns(file, targets), mapped, notes, sheetRows, header };
}
