import type { OptOutColumn } from '../../../../domain/opt-out-column.ts';
import type { LeadField } from '../../../../tools/leads/csv/headers.ts';

/** What a field of a lead is called; one that is new does not compile until it has a name. */
const FIELDS: Readonly<Record<LeadField, string>> = {
  firstName: 'First name',
  lastName: 'Last name',
  fullName: 'Full name',
  email: 'Mail address',
  profileUrl: 'Profile address',
  phone: 'Phone',
  title: 'Job title',
  seniority: 'Seniority',
  headline: 'Headline',
  company: 'Company',
  companyDomain: 'Company website',
  companySize: 'Company size',
  industry: 'Industry',
  location: 'Place',
  country: 'Country',
  timezone: 'Time zone',
};

/** What a column says of who must not be contacted. */
const EXCLUDING: Readonly<Record<OptOutColumn, string>> = {
  doNotContact: 'Do not contact (any word but a no)',
  unsubscribed: 'Unsubscribed (any word but a no)',
  bounced: 'Mail came back',
  contactStatus: 'State (some words exclude)',
  consent: 'Consent (a no excludes)',
};

export const CUSTOM = 'customFields.';

/** Targets of a column, in groups as a menu shows them. */
export const TARGET_GROUPS: readonly {
  label: string;
  targets: readonly (readonly [target: string, label: string])[];
}[] = [
  { label: 'Fields of a lead', targets: Object.entries(FIELDS) },
  { label: 'Who must not be contacted', targets: Object.entries(EXCLUDING) },
];

/** What a target is called. */
export function targetLabel(target: string): string {
  const known = [...Object.entries(FIELDS), ...Object.entries(EXCLUDING)].find(([name]) => name === target);
  return known?.[1] ?? (target.startsWith(CUSTOM) ? `A field of your own: ${target.slice(CUSTOM.length)}` : target);
}

/** The target that keeps a column under its own name. */
export function ownField(column: string, place: number): string {
  const name = column
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
    .slice(0, 60);
  return `${CUSTOM}${name || `column_${place + 1}`}`;
}
