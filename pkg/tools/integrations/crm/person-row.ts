import type { CrmPerson } from '../../../providers/crm/crm-lists.ts';
import type { ImportLead } from '../../../store/leads/imports.ts';
import type { ColumnTarget } from '../../leads/csv/headers.ts';
import { type Exclusion, leadOfRow, type Refusal, stronger } from '../../leads/csv/lead-of-row.ts';
import type { MappedField } from './field-map.ts';

/** What a person of a CRM is here. */
export type PersonRow = {
  /** A property says that they must not be contacted: so much is known of a record that gives no lead, too. */
  exclusion: Exclusion | null;
} & ({ lead: ImportLead; notes: Refusal[] } | { row: number; field: string | null; message: string });

/** A person of a CRM as a lead; cleaned and refused by the rules of a row that is imported. @param row its number among others */
export function leadOfPerson(person: CrmPerson, fields: readonly MappedField[], row: number, id: string): PersonRow {
  const told = fields.filter(({ property }) => person.properties[property] !== undefined);
  const cells = told.map(({ property }) => person.properties[property] ?? '');
  const columns = told.map(({ property, target }): ColumnTarget => {
    return 'optOut' in target ? { ...target, header: property } : target;
  });
  const exclusion = exclusionOf(cells, columns);
  const result = leadOfRow({ line: row, cells }, columns);
  if ('message' in result) return { exclusion, row, field: result.field, message: result.message };
  const { fields: texts, line, exclusion: _same, ...keys } = result.lead;
  return { exclusion, lead: { ...texts, ...keys, id, line, exclusion }, notes: result.notes };
}

function exclusionOf(cells: readonly string[], columns: readonly ColumnTarget[]): Exclusion | null {
  return columns.reduce<Exclusion | null>((so, column, at) => {
    const cell = (cells[at] ?? '').trim();
    return column !== null && 'optOut' in column && cell !== '' ? stronger(so, column, cell) : so;
  }, null);
}
