/** Who is the same person: what a person is known by, in one form each. The database hashes a mail address (`app.mail_hash`). */

/** Trimmed lower-case address, or null when it is none. */
export function normalMail(mail: string): string | null {
  const address = mail.trim().toLowerCase();
  return address.length <= 254 && /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>".]{2,}$/.test(address) ? address : null;
}

/** Domain of an address or website: `https://www.Acme.com/x` -> `acme.com`; null when there is none. */
export function normalDomain(text: string): string | null {
  const afterAt = text.trim().toLowerCase().split('@').at(-1) ?? '';
  const host = afterAt
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[/?#:].*$/, '')
    .replace(/^www\./, '')
    .replace(/\.$/, '');
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/.test(host) ? host : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The public id in a profile address, lower case: `https://de.network.com/in/Ada-L/?x=1` -> `ada-l`. A bare id is taken
 * as it is, and so is the member number in an address of the Sales Navigator; null when the text is none of these (a company page,
 * another site's path, a sentence).
 */
export function profileId(urlOrId: string): string | null {
  return idIn(urlOrId)?.toLowerCase() ?? null;
}

function idIn(urlOrId: string): string | null {
  const text = urlOrId.trim();
  const inPath =
    /\/sales\/(?:lead|people)\/([^/?#,\s]+)/i.exec(text) ?? /\/(?:in|pub|profile)\/([^/?#\s]+)/i.exec(text);
  const candidate = inPath?.[1] ?? (/[/\s]|^https?:/i.test(text) ? null : text);
  if (!candidate) return null;
  const id = decoded(candidate).normalize('NFC');
  return id.length >= 1 && id.length <= 200 && !/[\s/?#@]/.test(id) ? id : null;
}

/** Scrapers and recruiting tools name a member by their number instead of the public id. */
const MEMBER_NUMBER = /^AC[A-Za-z]AA[\w-]{20,}$/;

/** The number of a member in a profile address, in its own case, without which the network knows nobody by it; null: it has none. */
export function memberNumber(urlOrId: string): string | null {
  const id = idIn(urlOrId);
  return id !== null && MEMBER_NUMBER.test(id) ? id : null;
}

/** The one form of a profile address; null when it is none. */
export function profileAddress(urlOrId: string): string | null {
  const id = memberNumber(urlOrId) ?? profileId(urlOrId);
  return id === null ? null : `https://www.linkedin.com/in/${id}`;
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
function plainWords(text: string): string {
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

/** One form for a person at a company; null when either is unknown, because half a name is nobody's identity. */
export function nameCompanyKey(fullName: string, company: string): string | null {
  const name = plainWords(fullName);
  const firm = companyKey(company);
  return name === '' || firm === '' ? null : `${name}@${firm}`;
}
