import { domainOf } from '../../../pkg/domain/identity/domain.ts';
import { mailIdentity } from '../../../pkg/domain/mail-identity.ts';
import { companySpellings, keywordWords, nameCompanySpellings } from '../../../pkg/domain/name-spellings.ts';
import { companyKey, normalMail, profileId } from '../../../pkg/domain/person-identity.ts';
import type { ExclusionReach } from '../../../pkg/domain/suppression.ts';

/**
 * Which exclusions meet a lead, written a second time: the rule itself is app.suppressions_of, which judges thousands of
 * leads in one statement. The tests compare the two.
 */

export type SuppressionKind = 'person' | 'mail' | 'domain' | 'profile' | 'name_company' | 'keyword' | 'company';

/** One exclusion, its value in the form of `normalValue`. */
export interface Suppression {
  kind: SuppressionKind;
  value: string;
  appliesTo: ExclusionReach;
}

/** What of a lead is matched; unknown is empty or null. */
interface SuppressionSubject {
  personId: string | null;
  fullName: string;
  company: string;
  title: string;
  headline: string;
  email: string | null;
  /** Website of the company, when known. */
  companyDomain?: string | null;
  profileUrl: string;
}

/** The stored form of a value, or null when it is none of that kind. name_company is `Full Name @ Company`. */
export function normalValue(kind: SuppressionKind, value: string): string | null {
  const text = value.trim();
  if (kind === 'mail') return normalMail(text);
  if (kind === 'domain') return domainOf(text);
  if (kind === 'profile') return profileId(text);
  if (kind === 'name_company') {
    const at = text.lastIndexOf('@');
    return at < 0 ? null : (nameCompanySpellings(text.slice(0, at), text.slice(at + 1))[0] ?? null);
  }
  if (kind === 'company') return companySpellings(text)[0] ?? null;
  const plain = kind === 'keyword' ? keywordWords(text) : text;
  return plain === '' ? null : plain;
}

function domainMatches(subject: SuppressionSubject, domain: string): boolean {
  const hosts = [subject.email, subject.companyDomain].map((text) => (text ? domainOf(text) : null));
  return hosts.some((host) => host === domain || (host?.endsWith(`.${domain}`) ?? false));
}

function matches(entry: Suppression, subject: SuppressionSubject): boolean {
  switch (entry.kind) {
    case 'person':
      return subject.personId === entry.value;
    case 'mail':
      return subject.email !== null && [normalMail(subject.email), mailIdentity(subject.email)].includes(entry.value);
    case 'domain':
      return domainMatches(subject, entry.value);
    case 'profile':
      return subject.profileUrl !== '' && profileId(subject.profileUrl) === entry.value;
    case 'name_company':
      return nameCompanySpellings(subject.fullName, subject.company).includes(entry.value);
    case 'company':
      return companySpellings(subject.company).includes(entry.value);
    default: {
      const parts = [subject.company, subject.title, subject.headline];
      const text = parts.map((part) => ` ${keywordWords(part)} | ${companyKey(part)} `).join('|');
      return text.includes(` ${entry.value} `);
    }
  }
}

/** Whether one of the exclusions meets a lead and stops outreach. */
export function isExcluded(subject: SuppressionSubject, entries: readonly Suppression[]): boolean {
  return entries.some((entry) => entry.appliesTo === 'all_outreach' && matches(entry, subject));
}
