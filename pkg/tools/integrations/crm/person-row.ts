import type { CrmPerson } from '../../../providers/crm/crm-lists.ts';
import type { ImportLead } from '../../../store/leads/imports.ts';
import type { ColumnTarget } from '../../leads/csv/headers.ts';
import { leadOfRow } from '../../leads/csv/lead-of-row.ts';
import type { MappedField } from './field-map.ts';

export type PersonRow = { lead: ImportLead } | { row: number; field: string | null; message: string };

/** A person of a CRM as a lead; cleaned and refused by the rules of a row that is imported. @param row its number among others */
export function leadOfPerson(person: CrmPerson, fields: readonly MappedField[], row: number, id: string): PersonRow {
  const told = fields.filter(({ property }) => person.properties[property] !== undefined);
  const cells = told.map(({ property }) => person.properties[property] ?? '');
  const columns: ColumnTarget[] = told.map(({ target }) => target);
  const result = leadOfRow({ line: row, cells }, columns);
  if ('message' in result) return { row, field: result.field, message: result.message };
  const { fields: texts, line, ...keys } = result.lead;
  return { lead: { ...texts, ...keys, id, line, exclusion: null } };
}
