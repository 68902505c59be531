import { isFreeMailDomain } from '../../../domain/free-mail.ts';
import { isTimezone } from '../../../domain/local-time.ts';
import { bareMail } from '../../../domain/mail-identity.ts';
import { companyKey, normalDomain, normalMail, profileAddress, profileId } from '../../../domain/person-identity.ts';
import { nameParts } from '../../../domain/person-name.ts';
import { matchKeys, personForms } from '../../../domain/same-person.ts';
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
  matchKeys: string[];
}

export type RowResult = { lead: ParsedLead } | { line: number; field: string | null; message: string };

const LONGEST = 500;
/** Names and company are indexed together; these still fit when every character takes four bytes. */
const SHORTER: Partial<Record<LeadField, number>> = { firstName: 120, lastName: 120, fullName: 250, company: 250 };

type Cells = { fields: Record<LeadField, string>; customFields: Record<string, string> };
type Refusal = { field: string | null; message: string };

/** Reads a row; a row without identity or with an unusable value is named, not guessed. */
export function leadOfRow(row: CsvRow, targets: readonly ColumnTarget[]): RowResult {
  const cells = readCells(row, targets);
  if ('message' in cells) return { line: row.line, ...cells };
  const { fields, customFields } = cells;
  completeNames(fields);
  const identity = identityOf(fields);
  if ('message' in identity) return { line: row.line, ...identity };
  const { email, profileId: profile } = identity;
  fields.seniority = fields.seniority === '' ? seniorityOf(fields.title) : normalSeniority(fields.seniority);
  const domain = normalDomain(fields.companyDomain || (email ?? '')) ?? '';
  fields.companyDomain = isFreeMailDomain(domain) ? '' : domain;
  if (fields.timezone !== '' && !isTimezone(fields.timezone)) fields.timezone = '';
  fields.profileUrl = profileAddress(fields.profileUrl) ?? '';
  const keys = matchKeys(personForms({ ...fields, email: email ?? '' }));
  return {
    lead: {
      line: row.line,
      fields,
      customFields,
      profileId: profile,
      email,
      companyKey: companyKey(fields.company),
      matchKeys: keys,
    },
  };
}

function readCells(row: CsvRow, targets: readonly ColumnTarget[]): Cells | Refusal {
  const fields: Record<LeadField, string> = { ...EMPTY };
  const customFields: Record<string, string> = {};
  if (row.cells.slice(targets.length).some((cell) => cell.trim() !== '')) {
    return { field: null, message: `${row.cells.length} cells where the header names ${targets.length} columns` };
  }
  for (const [index, cell] of row.cells.slice(0, targets.length).entries()) {
    const target = targets[index];
    const value = clean(cell);
    if (!target || value === '' || isPlaceholder(value, target)) continue;
    const name = 'field' in target ? target.field : target.custom;
    const longest = ('field' in target && SHORTER[target.field]) || LONGEST;
    if (value.length > longest) return { field: name, message: `longer than ${longest} characters` };
    if ('field' in target) fields[target.field] = value;
    else customFields[target.custom] = value;
  }
  return { fields, customFields };
}

/** A message without the cell that it quotes: in what is kept nobody would look for the data of somebody who is erased later. */
export function withoutCell<T extends { message: string }>(refusal: T): T {
  return { ...refusal, message: refusal.message.replace(/^".*" (?=is no )/s, '') };
}

function identityOf(fields: Cells['fields']): { email: string | null; profileId: string | null } | Refusal {
  const email = fields.email === '' ? null : normalMail(bareMail(fields.email));
  if (fields.email !== '' && email === null) {
    return { field: 'email', message: `"${shown(fields.email)}" is no mail address` };
  }
  const profile = fields.profileUrl === '' ? null : profileId(fields.profileUrl);
  if (fields.profileUrl !== '' && profile === null) {
    return { field: 'profileUrl', message: `"${shown(fields.profileUrl)}" is no profile address` };
  }
  if (email === null && profile === null && (fields.fullName === '' || fields.company === '')) {
    return { field: null, message: 'no identity: needs email, profile address, or name and company' };
  }
  return { email, profileId: profile };
}

const EMPTY: Readonly<Record<LeadField, string>> = {
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
  Object.assign(fields, nameParts(fields.fullName));
}

const NOTHING = /^(?:n\/a|#n\/a|-+|\?+|\(blank\)|\(none\))$/i;
const NOBODY = /^(?:na|none|null|nil|unknown|undefined|keine|tbd)$/i;
const IDENTITIES: readonly string[] = ['email', 'profileUrl', 'phone', 'companyDomain'];

/** What exports write for "nothing". Some of it is a surname too, so these count only where no name can stand. */
function isPlaceholder(value: string, target: Exclude<ColumnTarget, null>): boolean {
  return NOTHING.test(value) || ('field' in target && IDENTITIES.includes(target.field) && NOBODY.test(value));
}

function shown(text: string): string {
  return text.slice(0, 80).toWellFormed();
}

function clean(text: string): string {
  return text.replace(/[\p{Cc}\u200b\ufeff]+/gu, ' ').trim();
}
