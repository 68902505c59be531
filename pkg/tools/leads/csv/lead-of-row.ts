import { companyKey, normalDomain, normalMail, profileId } from '../../../domain/person-identity.ts';
import { normalSeniority, seniorityOf } from '../../../domain/seniority.ts';
import type { ColumnTarget, LeadField } from './headers.ts';
import type { CsvRow } from './parse-csv.ts';

/** A lead as a row gives it; empty texts are unknown. */
export interface ParsedLead {
  line: number;
  fields: Record<LeadField, string>;
  customFields: Record<string, string>;
  /** Keys by which the same person is found again. */
  profileId: string | null;
  email: string | null;
  companyKey: string;
}

export type RowResult = { lead: ParsedLead } | { line: number; field: string | null; message: string };

const LONGEST = 500;

/** Reads a row; a row without identity or with an unusable value is named, not guessed. */
export function leadOfRow(row: CsvRow, targets: readonly ColumnTarget[]): RowResult {
  const fields = Object.fromEntries(Object.keys(EMPTY).map((name) => [name, ''])) as Record<LeadField, string>;
  const customFields: Record<string, string> = {};
  for (const [index, target] of targets.entries()) {
    const value = clean(row.cells[index] ?? '');
    if (!target || value === '') continue;
    if (value.length > LONGEST)
      return {
        line: row.line,
        field: 'field' in target ? target.field : target.custom,
        message: `longer than ${LONGEST} characters`,
      };
    if ('field' in target) fields[target.field] = value;
    else customFields[target.custom] = value;
  }
  completeNames(fields);
  const email = fields.email === '' ? null : normalMail(fields.email);
  if (fields.email !== '' && email === null)
    return { line: row.line, field: 'email', message: `"${fields.email.slice(0, 80)}" is no mail address` };
  const profile = fields.profileUrl === '' ? null : profileId(fields.profileUrl);
  if (fields.profileUrl !== '' && profile === null)
    return {
      line: row.line,
      field: 'profileUrl',
      message: `"${fields.profileUrl.slice(0, 80)}" is no profile address`,
    };
  if (email === null && profile === null && (fields.fullName === '' || fields.company === '')) {
    return { line: row.line, field: null, message: 'no identity: needs email, profile address, or name and company' };
  }
  fields.seniority = fields.seniority === '' ? seniorityOf(fields.title) : normalSeniority(fields.seniority);
  fields.companyDomain = normalDomain(fields.companyDomain || (email ?? '')) ?? '';
  if (profile !== null) fields.profileUrl = `https://www.linkedin.com/in/${profile}`;
  return {
    lead: { line: row.line, fields, customFields, profileId: profile, email, companyKey: companyKey(fields.company) },
  };
}

const EMPTY: Record<LeadField, ''> = {
  firstName: '',
  lastName: '',
  fullName: '',
  headline: '',
  title: '',
  seniority: '',
  company: '',
  companyDomain: '',
  industry: '',
  companySize: '',
  location: '',
  country: '',
  timezone: '',
  profileUrl: '',
  email: '',
  phone: '',
};

function completeNames(fields: Record<LeadField, string>): void {
  if (fields.fullName === '') fields.fullName = `${fields.firstName} ${fields.lastName}`.trim();
  if (fields.firstName !== '' || fields.lastName !== '' || fields.fullName === '') return;
  const [first = '', ...rest] = fields.fullName.split(/\s+/);
  fields.firstName = first;
  fields.lastName = rest.join(' ');
}

function clean(text: string): string {
  return text.replace(/[\p{Cc}\u200b\ufeff]+/gu, ' ').trim();
}
