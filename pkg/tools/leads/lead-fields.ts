import { employerDomain, readCompanyDomain } from '../../domain/identity/domain.ts';
import { mailAddress } from '../../domain/identity/mail.ts';
import { readTimezone } from '../../domain/identity/time-zone.ts';
import { companyKey, profileAddress, profileId } from '../../domain/person-identity.ts';
import { matchKeys, personForms } from '../../domain/same-person.ts';
import { normalSeniority, seniorityOf } from '../../domain/seniority.ts';
import type { Tx } from '../../postgres/database.ts';
import { insertLead, updateLead } from '../../store/leads/lead-rows.ts';
import { invalidInput } from '../errors.ts';

/** A row of `lead` as an entry by hand needs it. */
export interface StoredLead {
  id: string;
  workspace_id: string | null;
  first_name: string;
  last_name: string;
  full_name: string;
  title: string;
  company: string;
  company_domain: string;
  seniority: string;
  location: string;
  timezone: string | null;
  email: string | null;
  phone: string | null;
  profile_url: string;
  custom_fields: Record<string, string>;
  provenance: Record<string, { source: string; at: number }>;
}

/** What a person enters. Absent: unchanged; '': cleared. */
export interface EnteredFields {
  firstName?: string | undefined;
  lastName?: string | undefined;
  title?: string | undefined;
  company?: string | undefined;
  companyDomain?: string | undefined;
  seniority?: string | undefined;
  location?: string | undefined;
  timezone?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  profileUrl?: string | undefined;
  customFields?: Record<string, unknown> | undefined;
}

/** The profile of a lead; '' is unknown. */
export interface LeadFields {
  firstName: string;
  lastName: string;
  fullName: string;
  title: string;
  company: string;
  companyDomain: string;
  seniority: string;
  location: string;
  timezone: string;
  email: string;
  phone: string;
  profileUrl: string;
  customFields: Record<string, string>;
}

/** The profile after an entry. @throws UserError when it would identify nobody */
export function fieldsAfter(before: StoredLead | undefined, given: EnteredFields): LeadFields {
  const [firstName, lastName] = [
    given.firstName ?? before?.first_name ?? '',
    given.lastName ?? before?.last_name ?? '',
  ];
  const renamed = given.firstName !== undefined || given.lastName !== undefined;
  const title = given.title ?? before?.title ?? '';
  const email = given.email === undefined ? (before?.email ?? '') : mailOf(given.email);
  const fields: LeadFields = {
    firstName,
    lastName,
    fullName: renamed || !before ? `${firstName} ${lastName}`.trim() : before.full_name,
    title,
    company: given.company ?? before?.company ?? '',
    companyDomain: domainAfter(before, given, email),
    seniority: seniorityAfter(before, given, title),
    location: given.location ?? before?.location ?? '',
    timezone: zoneAfter(before, given),
    email,
    phone: given.phone ?? before?.phone ?? '',
    profileUrl: given.profileUrl === undefined ? (before?.profile_url ?? '') : (profileAddress(given.profileUrl) ?? ''),
    customFields: customAfter(before?.custom_fields ?? {}, given.customFields ?? {}),
  };
  if (fields.email === '' && fields.profileUrl === '' && (fields.fullName === '' || fields.company === '')) {
    throw invalidInput('email', 'a lead needs email, profileUrl, or a name and a company');
  }
  return fields;
}

/** A title says the seniority unless somebody does. */
function seniorityAfter(before: StoredLead | undefined, given: EnteredFields, title: string): string {
  if (given.seniority !== undefined) return normalSeniority(given.seniority);
  const entered = before?.provenance['seniority']?.source === 'manual';
  return before && (entered || given.title === undefined) ? before.seniority : seniorityOf(title);
}

function domainAfter(before: StoredLead | undefined, given: EnteredFields, email: string): string {
  if (given.companyDomain === '') return '';
  if (given.companyDomain !== undefined) {
    const { value, note } = readCompanyDomain(given.companyDomain);
    if (value === null) throw invalidInput('companyDomain', note);
    return value;
  }
  if (before && before.company_domain !== '') return before.company_domain;
  return email === '' ? '' : employerDomain(email);
}

/** An IANA name; '' clears it. */
function zoneAfter(before: StoredLead | undefined, { timezone }: EnteredFields): string {
  return timezone === undefined ? (before?.timezone ?? '') : (readTimezone(timezone).value ?? '');
}

/** @throws UserError for what is no address, or several; '' clears it */
function mailOf(given: string): string {
  const address = given === '' ? '' : mailAddress(given);
  if (address === null) throw invalidInput('email', 'is no mail address');
  return address;
}

/** Custom fields of a lead at most, of 500 characters each: a page of leads is read as a whole. */
export const MAX_CUSTOM_FIELDS = 200;

function customAfter(before: Record<string, string>, given: Record<string, unknown>): Record<string, string> {
  const merged = Object.entries({ ...before, ...given }).filter(
    ([, value]) => typeof value === 'string' && value !== '',
  );
  if (merged.length > MAX_CUSTOM_FIELDS) {
    throw invalidInput('customFields', `a lead has at most ${MAX_CUSTOM_FIELDS}; null removes one`);
  }
  return Object.fromEntries(merged) as Record<string, string>;
}

/** Keys under which the lead is found again. */
export function keysOf(fields: LeadFields): string[] {
  return matchKeys(personForms(fields));
}

const COLUMNS = {
  firstName: 'first_name',
  lastName: 'last_name',
  fullName: 'full_name',
  title: 'title',
  company: 'company',
  companyDomain: 'company_domain',
  seniority: 'seniority',
  location: 'location',
  profileUrl: 'profile_url',
  timezone: 'timezone',
  email: 'email',
  phone: 'phone',
} as const;
const NULLABLE = new Set(['timezone', 'email', 'phone']);

/** Stores the profile; what was entered is marked as edited by hand, so that imports leave it alone. */
export async function writeFields(
  tx: Tx,
  write: {
    leadId: string;
    workspaceId: string;
    before: StoredLead | undefined;
    after: LeadFields;
    request: EnteredFields;
    now: number;
  },
): Promise<void> {
  const { leadId, workspaceId, before, after, request, now } = write;
  const names = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
  const entered = names.map((name) => [COLUMNS[name], NULLABLE.has(name) ? after[name] || null : after[name]]);
  const columns = {
    ...Object.fromEntries(entered),
    profile_id: after.profileUrl === '' ? null : profileId(after.profileUrl),
    company_key: companyKey(after.company),
    custom_fields: JSON.stringify(after.customFields),
    provenance: JSON.stringify({ ...before?.provenance, ...enteredNow(request, now) }),
  };
  const keep = before ? updateLead : insertLead;
  await keep(tx, { leadId, workspaceId, columns, now });
}

/** Provenance of what was entered: also a field that was cleared, so that no import fills it again. */
function enteredNow(request: EnteredFields, now: number): Record<string, { source: string; at: number }> {
  const entry = { source: 'manual', at: now };
  const names = Object.keys(COLUMNS).filter((name) => request[name as keyof EnteredFields] !== undefined);
  if (request.firstName !== undefined || request.lastName !== undefined) names.push('fullName');
  return Object.fromEntries(names.map((name) => [name, entry]));
}
