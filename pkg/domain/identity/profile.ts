import { bareCell, percentDecoded, type Reading, read, unread } from './reading.ts';

/** Who a profile address names. */
export interface Profile {
  /** The public id in lower case, by which persons are compared. */
  id: string;
  /** The id as the network needs it: a member's number has a case of its own. */
  name: string;
}

/** Scrapers and recruiting tools name a member by their number instead of the public id. */
const MEMBER_NUMBER = /^AC[A-Za-z]AA[\w-]{20,}$/;
const HOST = /^(?:[a-z0-9-]+\.)*linkedin\.(?:com|cn)$/;
/** Pages of the network itself under `/in/`, and words that people write into a column of profiles. */
const NOBODY =
  /^(?:me|edit|unavailable|view|profiles?|profil|perfil|profilo|profiel|linked-?in|linkedin-?(?:profile?|url|link)|link|url|https?|www|true|false|wahr|falsch|yes|no|ja|nein|none|null|nil|n-?a|unknown|undefined|not-?found|no-?profile|no-?linkedin|tbd|todo|error|company|school)$/;
const ID = /^[\p{L}\p{M}\p{N}\p{So}_.~'’&·‐-]{1,200}$/u;

/** The number of a member, in its own case; null: the text is none. */
export function isMemberNumber(text: string): boolean {
  return MEMBER_NUMBER.test(text);
}

/**
 * Reads what people have for a profile: its address on LinkedIn, also in the Sales Navigator or without scheme, or the end of one
 * (`jane-doe-77`). A word alone is none, nor is another network's address: who it would be is somebody else.
 */
export function readProfile(text: string): Reading<Profile> {
  const cell = bareCell(text);
  const found = new Map<string, Profile>();
  let elsewhere = false;
  for (const token of cell.split(/[\s<>()[\]{}"|,;]+/)) {
    if (!/[/.]/.test(token)) continue;
    const profile = ofAddress(token);
    if (profile !== null) found.set(profile.id, profile);
    else elsewhere ||= /^[a-z]+:\/\/|^[\w-]+(?:\.[\w-]+)+\//i.test(token) && !HOST.test(hostOf(token));
  }
  if (found.size > 1) return unread('gives several profiles');
  for (const profile of found.values()) return read(profile);
  if (elsewhere) return unread('is no address of LinkedIn');
  const bare = /[-\d]/.test(cell) && /\p{L}.*\p{L}/u.test(cell) && cell.length >= 5 ? ofId(cell) : null;
  return bare === null ? unread('is no profile address such as https://www.linkedin.com/in/jane-doe') : read(bare);
}

/** As {@link readProfile}, and takes any id alone: for what the network or the product itself said. */
export function profileOf(text: string): Profile | null {
  const cell = bareCell(text);
  return readProfile(cell).value ?? (/[\s/:]/.test(cell) ? null : ofId(cell));
}

function hostOf(address: string): string {
  const host = /^(?:[a-z]+:)?(?:\/\/)?(?:[^/?#@]*@)?([^/?#:]+)/i.exec(address)?.[1] ?? '';
  return host.toLowerCase().replace(/\.$/, '');
}

function ofAddress(token: string): Profile | null {
  const path = /^\/?in\//i.test(token) ? `/${token.replace(/^\//, '')}` : pathOnNetwork(token);
  if (path === null) return null;
  const [, kind = '', ...rest] = path.replace(/[?#].*$/s, '').split('/');
  const id = rest[0] ?? '';
  switch (kind.toLowerCase()) {
    case 'in':
      return ofId(id);
    case 'pub':
      // `/pub/jane-doe/12/345/678` is a namesake of /in/jane-doe.
      return rest.slice(1).some((part) => /^\w+$/.test(part) && part !== 'dir') || id === 'dir' ? null : ofId(id);
    case 'sales':
    case 'talent':
    case 'recruiter':
      return ['lead', 'people', 'profile'].includes(id.toLowerCase()) ? ofNumber(rest[1] ?? '') : null;
    default:
      return null;
  }
}

/** What stands behind the host, where that is the network's; its pages in another language begin with that. */
function pathOnNetwork(token: string): string | null {
  const match = /^(?:https?:)?(?:\/\/)?([^/?#@:\s]+)(?::\d+)?(\/.*)$/is.exec(token);
  if (!match || !HOST.test((match[1] ?? '').toLowerCase())) return null;
  return (match[2] ?? '').replace(/\/{2,}/g, '/').replace(/^\/(?:mwlite|[a-z]{2})(?=\/(?:in|pub)\/)/i, '');
}

function ofNumber(part: string): Profile | null {
  const number = percentDecoded(part).split(',')[0] ?? '';
  return MEMBER_NUMBER.test(number) ? { id: number.toLowerCase(), name: number } : null;
}

function ofId(part: string): Profile | null {
  const plain = percentDecoded(part)
    .normalize('NFC')
    .replace(/^[\p{P}\s]+|(?:(?![-_‐])[\p{P}\s])+$/gu, '');
  const id = plain.toLowerCase();
  if (!ID.test(plain) || !ID.test(id) || !/[\p{L}\p{N}]/u.test(id) || NOBODY.test(id)) return null;
  return { id, name: MEMBER_NUMBER.test(plain) ? plain : id };
}

/** The one form of a profile address. */
export function addressOfProfile({ name }: Profile): string {
  return `https://www.linkedin.com/in/${name}`;
}
