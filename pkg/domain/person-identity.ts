import { mailAddress } from './identity/mail.ts';
import { addressOfProfile, isMemberNumber, profileOf } from './identity/profile.ts';

/** Who is the same person: what a person is known by, in one form each. The database hashes a mail address (`app.mail_hash`). */

/** Trimmed lower-case address with its host in the letters of DNS, or null when the text is none, or more than one. */
export function normalMail(mail: string): string | null {
  return mailAddress(mail);
}

/**
 * The public id in a profile address, lower case: `https://de.linkedin.com/in/Ada-L/?x=1` -> `ada-l`. A bare id is taken
 * as it is, and so is the member number in an address of the Sales Navigator; null when the text is none of these (a company page,
 * another site, a sentence). What people enter is read by `readProfile`, which takes no word alone.
 */
export function profileId(urlOrId: string): string | null {
  return profileOf(urlOrId)?.id ?? null;
}

/** The number of a member in a profile address, in its own case, without which the network knows nobody by it; null: it has none. */
export function memberNumber(urlOrId: string): string | null {
  const name = profileOf(urlOrId)?.name ?? '';
  return isMemberNumber(name) ? name : null;
}

/** The one form of a profile address; null when it is none. */
export function profileAddress(urlOrId: string): string | null {
  const profile = profileOf(urlOrId);
  return profile === null ? null : addressOfProfile(profile);
}

/** Words that say what a company is by law, in the form of plainWords; `make generate` writes app.company_key from them. */
export const LEGAL_FORMS =
  `inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag kg kgaa ug se sa sas
  sarl srl spa bv nv ab as oy aps pty sp_z_o_o zrt kft group holding`
    .split(/\s+/)
    .map((form) => form.replaceAll('_', ' '));
const LEGAL_FORM = new RegExp(`(?<=^| )(${LEGAL_FORMS.join('|')})(?= |$)`, 'g');

/** Everything between words: written out by code point, because the database must cut at the same places. */
const BETWEEN_WORDS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they separate words too
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: ranges of code points, not characters
  /[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u303f\ufe00-\ufe0f\u{1f000}-\u{1faff}]+/gu;

/** Letters and digits without accents in lower case, one space between words; `app.plain_words` is its twin. */
export function plainWords(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/ς/g, 'σ')
    .replace(BETWEEN_WORDS, ' ')
    .trim();
}

/** One form for a company's name: no accents, punctuation, legal form; empty for an empty name. `app.company_key` is generated. */
export function companyKey(name: string): string {
  const plain = plainWords(name.replace(/ß/g, 'ss').replace(/&/g, ' and ').replace(/[.']/g, ''));
  const short = plain.replace(LEGAL_FORM, ' ').replace(/ +/g, ' ').trim();
  return short === '' ? plain : short;
}
