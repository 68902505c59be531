import { memberNumber } from './person-identity.ts';

/** What texts know a person by. */
export interface Aliases {
  /** Addresses in the form of mailIdentity. */
  mails: readonly string[];
  /** Normalised public ids of profiles. */
  profiles: readonly string[];
  /** Ids that others gave, of a network or of ours. */
  ids: readonly string[];
}

/** An id that is shorter may be a word of a text. */
const SHORTEST_ID = 8;
const GMAIL = '@gmail.com';

/**
 * A regular expression that finds the aliases in texts, in any spelling and any case: addresses with each tag and, where the provider
 * ignores them, with dots; profile addresses of any host, also percent-encoded; ids as words of their own. It reads the same in
 * PostgreSQL and in JavaScript (flags `gi`). Null: there is nothing to look for.
 */
export function aliasPattern({ mails, profiles, ids }: Aliases): string | null {
  const parts = [
    ...mails.map(mailPattern),
    ...profiles.flatMap(spellings).map(profilePattern),
    ...ids.filter((id) => id.length >= SHORTEST_ID).map((id) => `(?<![\\w-])${escaped(id)}(?![\\w-])`),
  ];
  return parts.length === 0 ? null : [...new Set(parts)].join('|');
}

/**
 * What a text has to hold, in lower case, where {@link aliasPattern} can find anything: patterns of LIKE, which cost far less.
 */
export function aliasNeedles({ mails, profiles, ids }: Aliases): string[] {
  const ofMails = mails.map((mail) => {
    const at = mail.lastIndexOf('@');
    if (mail.endsWith(GMAIL)) return '%g%mail%com%';
    return `%${[mail.slice(0, at), mail.slice(at + 1)]
      .flatMap((part) => part.split(ENCODED))
      .map(liked)
      .join('%')}%`;
  });
  return [...new Set([...ofMails, ...[...profiles.flatMap(spellings), ...ids].map((id) => `%${liked(id)}%`)])];
}

function liked(text: string): string {
  return text.toLowerCase().replace(/[\\%_]/g, '\\$&');
}

/** A regular expression of the spellings of addresses alone, for columns that hold nothing else; null: there are none. */
export function mailsPattern(mails: readonly string[]): string | null {
  return mails.length === 0 ? null : mails.map(mailPattern).join('|');
}

/** A text without what the pattern finds; objects and lists without it in any of their texts. */
export function withoutAliases<T>(value: T, pattern: string): T {
  const found = new RegExp(pattern, 'gi');
  const cut = (one: unknown): unknown => {
    if (typeof one === 'string') return one.replace(found, 'erased');
    if (Array.isArray(one)) return one.map(cut);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, cut(inner)]));
  };
  return cut(value) as T;
}

/** In a query of an address `@` and what parts addresses are percent-encoded, also twice; a line break of a JSON document is `\n`. */
const PERCENT = '%(?:25)*';
const AT = `(?:@|${PERCENT}40)`;
const SLASH = `(?:/|${PERCENT}2f)`;
/** Behind one of these an address begins, though a letter or a digit stands before it: space `"#&'(),/:;<=>?[]{|}` and line ends. */
const BEHIND = `${PERCENT}(?:0[9ad]|2[0236789cf]|3[a-f]|5[bd]|7[b-d])|(?:^|[^\\\\])\\\\[bfnrt]`;
/** Characters of an address that are percent-encoded somewhere. */
const ENCODED = /[^a-z0-9-]/i;

function mailPattern(identity: string): string {
  const at = identity.lastIndexOf('@');
  const name = identity.slice(0, at);
  const isGmail = identity.endsWith(GMAIL);
  const local = [...name].map(inAnyForm).join(isGmail ? `(?:${inAnyForm('.')})?` : '');
  const host = isGmail
    ? `(?:gmail|googlemail)${inAnyForm('.')}com`
    : [...identity.slice(at + 1)].map(inAnyForm).join('');
  const tag = `(?:(?:\\+|${PERCENT}2b)[^@\\s"<>,;]*)?`;
  return `(?:(?<![a-z0-9._%+-])|(?<=${BEHIND}))${local}${tag}${AT}${host}(?![a-z0-9-]|(?:\\.|${PERCENT}2e)[a-z0-9])`;
}

/** A character as it is and percent-encoded. */
function inAnyForm(letter: string): string {
  if (!ENCODED.test(letter)) return escaped(letter);
  const encoded = [...new TextEncoder().encode(letter)].map(
    (byte) => `${PERCENT}${byte.toString(16).padStart(2, '0')}`,
  );
  return `(?:${escaped(letter)}|${encoded.join('')})`;
}

/** Of an id with other letters than a to z: as it is, decomposed and percent-encoded. */
function spellings(id: string): string[] {
  return [...new Set([id, id.normalize('NFD'), encodeURIComponent(id), encodeURIComponent(id.normalize('NFD'))])];
}

/** In an address or its end, alone in a text, or alone in a text of a JSON document. The number of a member is known without an address. */
function profilePattern(id: string): string {
  const text = escaped(id);
  const alone = `^${text}$|(?<=")${text}(?=")`;
  // `in/person` are words of a text, `in/jane-doe-77` are not.
  const before = isTelling(id) ? `(?:[^\\s"'<>()]*${SLASH}|(?<![\\w%.-])|(?<=${BEHIND}))` : `[^\\s"'<>()]*${SLASH}`;
  const inAddress = `${before}(?:in|pub|profile|lead|people)${SLASH}${text}(?![\\w-]|\\.\\w|%(?!2f|3f|23|26))(?:[/?#&%][^\\s"'<>()]*)?`;
  return memberNumber(id) === null ? `${inAddress}|${alone}` : `${inAddress}|${alone}|(?<![\\w-])${text}(?![\\w-])`;
}

function isTelling(id: string): boolean {
  return /[-\d%]/.test(id) || id.length >= SHORTEST_ID;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
