import { isDamaged } from '../../../domain/damaged-text.ts';
import { employerDomain, readCompanyDomain } from '../../../domain/identity/domain.ts';
import { type MailCell, readMail } from '../../../domain/identity/mail.ts';
import { readPhone } from '../../../domain/identity/phone.ts';
import { addressOfProfile, type Profile, readProfile } from '../../../domain/identity/profile.ts';
import { type Reading, read, unread } from '../../../domain/identity/reading.ts';
import { readTimezone } from '../../../domain/identity/time-zone.ts';
import { type OptOutSource, optOutOf } from '../../../domain/opt-out-cell.ts';
import type { OptOutColumn } from '../../../domain/opt-out-column.ts';
import { companyKey } from '../../../domain/person-identity.ts';
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
  /** The file says that this person must not be contacted; null: it does not. */
  exclusion: Exclusion | null;
}

/** Why a file excludes a person: the source, and the column with its cell. */
export interface Exclusion {
  source: OptOutSource;
  reason: string;
}

/** What is wrong with a cell, or with a row. */
export interface Refusal {
  field: string | null;
  message: string;
}

/** A lead with notes of cells that were left out, or why the row gives none. */
export type RowResult = { lead: ParsedLead; notes: Refusal[] } | ({ line: number } & Refusal);

const LONGEST = 500;
/** Names and company are indexed together; these still fit when every character takes four bytes. */
const SHORTER: Partial<Record<LeadField, number>> = { firstName: 120, lastName: 120, fullName: 250, company: 250 };

type Fields = Record<LeadField, string>;
interface Cells {
  fields: Fields;
  customFields: Record<string, string>;
  exclusion: Exclusion | null;
  notes: Refusal[];
}

/** Reads a row: a cell without the form of its kind is left out and named; a row without identity is none. */
export function leadOfRow(row: Omit<CsvRow, 'row'>, targets: readonly ColumnTarget[]): RowResult {
  if (row.cells.slice(targets.length).some((cell) => cell.trim() !== '')) {
    const message = `${row.cells.length} cells where the header names ${targets.length} columns`;
    return { line: row.line, field: null, message };
  }
  const { fields, customFields, exclusion, notes } = readCells(row, targets);
  splitFamilyName(fields);
  if (fields.fullName === '') fields.fullName = `${fields.firstName} ${fields.lastName}`.trim();
  if (isSalutation(fields.title)) fields.title = '';
  const identity = identityOf(fields, customFields, notes);
  if ('message' in identity) return { line: row.line, ...identity };
  const { email, profileId } = identity;
  completeNames(fields);
  fields.seniority = fields.seniority === '' ? seniorityOf(fields.title) : normalSeniority(fields.seniority);
  fields.companyDomain = take(fields, 'companyDomain', readCompanyDomain, notes) || employerDomain(email ?? '');
  fields.timezone = take(fields, 'timezone', readTimezone, notes);
  fields.phone = take(fields, 'phone', readPhone, notes);
  const keys = matchKeys(personForms({ ...fields, email: email ?? '' }));
  const lead = { line: row.line, fields, customFields, profileId, email, companyKey: companyKey(fields.company) };
  return { lead: { ...lead, matchKeys: keys, exclusion }, notes };
}

function readCells(row: Pick<CsvRow, 'cells'>, targets: readonly ColumnTarget[]): Cells {
  const cells: Cells = { fields: { ...EMPTY }, customFields: {}, exclusion: null, notes: [] };
  for (const [index, cell] of row.cells.slice(0, targets.length).entries()) {
    const target = targets[index];
    const value = clean(cell);
    if (!target || value === '') continue;
    if ('optOut' in target && target.optOut) cells.exclusion = stronger(cells.exclusion, target, value);
    if (('field' in target || 'custom' in target) && !isPlaceholder(value, target)) keepCell(cells, target, value);
  }
  return cells;
}

function keepCell(cells: Cells, target: { field: LeadField } | { custom: string }, value: string): void {
  const name = 'field' in target ? target.field : target.custom;
  const longest = ('field' in target && SHORTER[target.field]) || LONGEST;
  if (value.length > longest) {
    cells.notes.push({ field: name, message: `longer than ${longest} characters: left out` });
    return;
  }
  if ('field' in target) cells.fields[target.field] = value;
  else cells.customFields[target.custom] = value;
  if (isDamaged(value)) cells.notes.push({ field: name, message: `"${shown(value)}" is damaged text: ${ENCODING}` });
}

const ENCODING = 'letters were lost when the file was saved or read; save it as UTF-8 and import it again';

/** A wish weighs more than a bounce, and that more than a mark. */
const WEIGHT: Readonly<Record<OptOutSource, number>> = { unsubscribe: 3, import: 2, bounce: 1 };

/** What excludes a person after one more cell: the stronger word. @param so what was said before it */
export function stronger(
  so: Exclusion | null,
  { optOut, header = '' }: { optOut?: OptOutColumn; header?: string },
  value: string,
): Exclusion | null {
  const source = optOut === undefined ? null : optOutOf(optOut, value, header);
  if (source === null || (so !== null && WEIGHT[so.source] >= WEIGHT[source])) return so;
  return { source, reason: `import: ${header.slice(0, 60)} = ${value.slice(0, 80)}`.toWellFormed() };
}

/** A message without the cell that it quotes: in what is kept nobody would look for the data of somebody who is erased later. */
export function withoutCell<T extends { message: string }>(refusal: T): T {
  return { ...refusal, message: refusal.message.replace(/^".*" (?=(?:is|gives|was|stands) )/s, '') };
}

/** Reads a cell by the rules of its kind; what is not of the kind is named and left out. */
function take(fields: Fields, field: LeadField, reader: (text: string) => Reading<string>, notes: Refusal[]): string {
  if (fields[field] === '') return '';
  const { value, note } = reader(fields[field]);
  if (note !== null) notes.push({ field, message: `"${shown(fields[field])}" ${note}` });
  return value ?? '';
}

/** Who the row is; further addresses are kept as custom fields. */
function identityOf(
  fields: Fields,
  customFields: Record<string, string>,
  notes: Refusal[],
): { email: string | null; profileId: string | null } | Refusal {
  const others: string[] = [];
  fields.email = take(fields, 'email', (text) => bareAddress(readMail(text), others), notes);
  for (const [index, other] of others.slice(0, 5).entries()) customFields[`email${index + 2}`] ??= other;
  const profile = fields.profileUrl === '' ? null : readProfile(fields.profileUrl);
  fields.profileUrl = take(fields, 'profileUrl', () => addressIn(profile), notes);
  if (fields.email === '' && fields.profileUrl === '' && (fields.fullName === '' || fields.company === '')) {
    const refused = notes.find(({ field }) => field === 'email' || field === 'profileUrl');
    return refused ?? { field: null, message: 'no identity: needs email, profile address, or name and company' };
  }
  return { email: fields.email || null, profileId: profile?.value?.id ?? null };
}

function bareAddress({ value, note }: Reading<MailCell>, others: string[]): Reading<string> {
  if (value === null) return unread(note ?? '');
  others.push(...value.others);
  return read(value.address, note);
}

function addressIn(profile: Reading<Profile> | null): Reading<string> {
  return profile?.value ? read(addressOfProfile(profile.value)) : unread(profile?.note ?? '');
}

/** `Mr.` in a column of titles. */
function isSalutation(title: string): boolean {
  return /^(?:mr|mrs|ms|miss|mx|dr|prof|herr|frau|hr|fr|mme|mlle|m|sr|sra|srta|sig|pan|pani|dhr|mevr)\.?$/i.test(title);
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

/** A family name in which the given name stands too is the whole name. */
function splitFamilyName(fields: Record<LeadField, string>): void {
  const { firstName, lastName } = fields;
  if (firstName === '' || lastName === '' || fields.fullName !== '') return;
  const [first, last] = [firstName.toLowerCase(), lastName.toLowerCase()];
  if (!last.startsWith(`${first} `)) return;
  fields.fullName = lastName;
  fields.lastName = lastName.slice(firstName.length).trim();
}

function completeNames(fields: Record<LeadField, string>): void {
  if (fields.firstName !== '' || fields.lastName !== '' || fields.fullName === '') return;
  Object.assign(fields, nameParts(fields.fullName));
}

const NOTHING = /^(?:n\/a|#n\/a|-+|\?+|\(blank\)|\(none\))$/i;
const NOBODY = /^(?:na|none|null|nil|unknown|undefined|keine|tbd)$/i;
const IDENTITIES: readonly string[] = ['email', 'profileUrl', 'phone', 'companyDomain'];

/** What exports write for "nothing". Some of it is a surname too, so these count only where no name can stand. */
function isPlaceholder(value: string, target: { field: LeadField } | { custom: string }): boolean {
  return NOTHING.test(value) || ('field' in target && IDENTITIES.includes(target.field) && NOBODY.test(value));
}

function shown(text: string): string {
  return text.slice(0, 80).toWellFormed();
}

function clean(text: string): string {
  return text.replace(/[\p{Cc}\u200b\ufeff]+/gu, ' ').trim();
}
