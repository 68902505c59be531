import { isFreeMailDomain } from './free-mail.ts';
import { domainOf } from './identity/domain.ts';
import { readProfile } from './identity/profile.ts';
import { bareCell } from './identity/reading.ts';
import { mailIdentity } from './mail-identity.ts';
import { companySpellings, keywordWords, nameCompanySpellings } from './name-spellings.ts';
import { isPublicSuffix } from './registrable-domain.ts';

/** What an exclusion can name. Source: catalog svc_add_signal_exclusion. */
export const EXCLUSION_KINDS = ['email', 'domain', 'company', 'profile_url', 'name_company', 'keyword'] as const;
export type ExclusionKind = (typeof EXCLUSION_KINDS)[number];

/** The word of the database for each. */
export const STORED_KINDS: Readonly<Record<ExclusionKind, string>> = {
  email: 'mail',
  domain: 'domain',
  company: 'company',
  profile_url: 'profile',
  name_company: 'name_company',
  keyword: 'keyword',
};

/** The one form of a value, or why it excludes nobody; the reason goes on from "<value> …". */
export type ExclusionValue = { value: string } | { refused: string };

/** Words of a keyword at most. */
const MOST_WORDS = 12;

/**
 * The form in which an exclusion is stored and compared. Addresses lose their tag, and their dots where those mean nothing; hosts have
 * the letters of DNS; a profile is its public id; names have no accents, titles and legal form; keywords keep each word. A domain that belongs to nobody alone (a
 * public suffix, a mail provider) is refused: it would exclude strangers by the million.
 */
export function exclusionValue(kind: ExclusionKind, written: string): ExclusionValue {
  const text = written.normalize('NFKC').trim();
  switch (kind) {
    case 'email':
      return valueOr(mailValue(text), 'is no mail address such as jane@acme.com');
    case 'domain':
      return domainValue(text);
    case 'company':
      return valueOr(companySpellings(text)[0] ?? null, 'is no name of a company');
    case 'profile_url':
      return profileValue(text);
    case 'name_company':
      return nameCompanyValue(text);
    case 'keyword':
      return keywordValue(text);
  }
}

/** An address in the form in which exclusions compare it; null when it is none. */
export function mailValue(text: string): string | null {
  const address = mailIdentity(text);
  return address === null || domainOf(address) === null ? null : address;
}

function domainValue(text: string): ExclusionValue {
  if (/^[^@\s/]+@/.test(text)) return { refused: 'is a mail address: exclude it as kind email' };
  // Its own name and no more: `co.uk` is no domain of anybody, though it has the form of one.
  const suffix = bareCell(text).toLowerCase().replace(/^\.+/, '');
  if (isPublicSuffix(suffix)) return openToAll(suffix);
  const domain = domainOf(text);
  if (domain === null) return { refused: 'is no domain such as acme.com' };
  if (isPublicSuffix(domain)) return openToAll(domain);
  if (isFreeMailDomain(domain))
    return { refused: 'is a mail provider, whose users have nothing in common: exclude their addresses as kind email' };
  return { value: domain };
}

function openToAll(suffix: string): ExclusionValue {
  return { refused: `is a public suffix: everybody registers names below it. Exclude domains such as acme.${suffix}` };
}

function profileValue(text: string): ExclusionValue {
  const read = readProfile(text);
  return read.value === null ? { refused: read.note } : { value: read.value.id };
}

function nameCompanyValue(text: string): ExclusionValue {
  const at = text.lastIndexOf('@');
  const [key] = at < 0 ? [] : nameCompanySpellings(text.slice(0, at), text.slice(at + 1));
  return valueOr(key ?? null, 'is no name and company such as Jane Doe @ Acme');
}

function keywordValue(text: string): ExclusionValue {
  const words = keywordWords(text);
  if (words.split(' ').length > MOST_WORDS) return { refused: `has more than ${MOST_WORDS} words` };
  return valueOr(words, 'has no letters or digits');
}

const valueOr = (value: string | null, refused: string): ExclusionValue =>
  value === null || value === '' ? { refused } : { value };
