import { profileAddress } from '../../domain/person-identity.ts';
import type { ImportLead } from '../../store/leads/imports.ts';
import type { ColumnTarget, LeadField } from './csv/headers.ts';
import { leadOfRow } from './csv/lead-of-row.ts';

/** What a network shows of a person; empty texts are unknown. */
export type ShownProfile = { publicId: string } & Partial<Record<Exclude<LeadField, 'profileUrl'>, string>>;

/** Where a profile that is no lead fails, in the words of an import. */
export interface ProfileProblem {
  row: number;
  field: string | null;
  message: string;
}

/** A profile as a lead; cleaned and refused by the rules of a row that is imported. @param row its number among others */
export function leadOfProfile(
  { publicId, ...shown }: ShownProfile,
  row: number,
  id: string,
): { lead: ImportLead & { profileId: string } } | ProfileProblem {
  const fields = Object.entries({ ...shown, profileUrl: profileAddress(publicId) ?? '' }) as [
    LeadField,
    string | undefined,
  ][];
  const columns: ColumnTarget[] = fields.map(([field]) => ({ field }));
  const result = leadOfRow({ line: row, cells: fields.map(([, value]) => value ?? '') }, columns);
  if ('message' in result) return { row, field: result.field, message: result.message };
  const { profileId, email, companyKey, matchKeys, customFields } = result.lead;
  if (profileId === null) return { row, field: 'profileUrl', message: 'the network does not show this profile' };
  return { lead: { ...result.lead.fields, id, line: row, customFields, profileId, email, companyKey, matchKeys } };
}
