import { mailIdentity } from './mail-identity.ts';
import { companyKey, nameCompanyKey, normalDomain, normalMail, profileId } from './person-identity.ts';

/** Levels from the narrowest to the widest. Source: catalog `enums`, outreach anchors 3.7. */
export const SUPPRESSION_LEVELS = ['campaign', 'workspace', 'agency', 'platform'] as const;
export type SuppressionLevel = (typeof SUPPRESSION_LEVELS)[number];

export const SUPPRESSION_SOURCES = [
  'manual',
  'import',
  'unsubscribe',
  'bounce',
  'complaint',
  'erasure',
  'customer',
  'competitor',
] as const;
export type SuppressionSource = (typeof SUPPRESSION_SOURCES)[number];

export const SUPPRESSION_KINDS = ['person', 'mail', 'domain', 'profile', 'name_company', 'keyword'] as const;
export type SuppressionKind = (typeof SUPPRESSION_KINDS)[number];

export type AppliesTo = 'signals' | 'all_outreach';

/** One exclusion, its value in the form of `normalValue`. */
export interface Suppression {
  level: SuppressionLevel;
  kind: SuppressionKind;
  value: string;
  source: SuppressionSource;
  appliesTo: AppliesTo;
}

/** What of a lead is matched; unknown is empty or null. */
export interface SuppressionSubject {
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

/** A wish of the person or the law: no tool can lift it. */
export function isRemovable(source: SuppressionSource): boolean {
  return source !== 'unsubscribe' && source !== 'complaint' && source !== 'erasure';
}

/** The stored form of a value, or null when it is none of that kind. name_company is `Full Name @ Company`. */
export function normalValue(kind: SuppressionKind, value: string): string | null {
  const text = value.trim();
  if (kind === 'mail') return normalMail(text);
  if (kind === 'domain') return normalDomain(text);
  if (kind === 'profile') return profileId(text);
  if (kind === 'name_company') {
    const at = text.lastIndexOf('@');
    return at < 0 ? null : nameCompanyKey(text.slice(0, at), text.slice(at + 1));
  }
  const plain = kind === 'keyword' ? companyKey(text) : text;
  return plain === '' ? null : plain;
}

function domainMatches(subject: SuppressionSubject, domain: string): boolean {
  const hosts = [subject.email, subject.companyDomain].map((text) => (text ? normalDomain(text) : null));
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
      return nameCompanyKey(subject.fullName, subject.company) === entry.value;
    default: {
      const text = [subject.company, subject.title, subject.headline].map((part) => ` ${companyKey(part)} `).join('|');
      return text.includes(` ${entry.value} `);
    }
  }
}

/** The exclusions that hit a lead, widest level first. `forSignals` also counts those that only stop signals. */
export function suppressionsOf(
  subject: SuppressionSubject,
  entries: readonly Suppression[],
  forSignals = false,
): readonly Suppression[] {
  return entries
    .filter((entry) => (forSignals || entry.appliesTo === 'all_outreach') && matches(entry, subject))
    .toSorted((a, b) => SUPPRESSION_LEVELS.indexOf(b.level) - SUPPRESSION_LEVELS.indexOf(a.level));
}
