import type { NetworkRelation } from '../../providers/network/network-provider.ts';
import type { ImportLead } from '../../store/imports.ts';
import type { ColumnTarget } from '../leads/csv/headers.ts';
import { leadOfRow } from '../leads/csv/lead-of-row.ts';

const COLUMNS: readonly ColumnTarget[] = [{ field: 'fullName' }, { field: 'headline' }, { field: 'profileUrl' }];

/** A connection as a lead; cleaned and refused by the rules of a row that is imported. @param line its number in the export */
export function leadOfConnection(
  relation: NetworkRelation,
  line: number,
  id: string,
): { lead: ImportLead } | { row: number; field: string | null; message: string } {
  const cells = [relation.name, relation.headline, relation.publicId ?? ''];
  const result = leadOfRow({ line, cells }, COLUMNS);
  if ('message' in result) return { row: line, field: result.field, message: result.message };
  if (result.lead.profileId === null) {
    return { row: line, field: 'profileUrl', message: 'the network does not show this profile' };
  }
  const { fields, customFields, profileId, email, companyKey, matchKeys } = result.lead;
  return { lead: { ...fields, id, line, customFields, profileId, email, companyKey, matchKeys } };
}
