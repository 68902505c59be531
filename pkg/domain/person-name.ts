import { foldings } from './fold-text.ts';
import {
  ACADEMIC,
  ADDRESSES,
  FOREIGN,
  GROUPS,
  IN_CAPITALS,
  isDottedTitle,
  isPointedTitle,
  OCCUPATION,
  SOMETIMES,
  TO_WHOM,
} from './name-titles.ts';
import { seniorityOf } from './seniority.ts';

/** Forms in which a person's name can be compared. */
export interface NameForms {
  /** Words of the name in order, one list per way to leave accents out. */
  words: readonly (readonly string[])[];
  /** `jr`, `sr`, `ii` …; '' without. */
  generation: string;
}

const TITLES = new Set(
  `dr prof professor dipl ing mag mr mrs ms miss herr frau sir dame hon rev phd mba msc bsc md cpa esq llm dba cfa pmp ma ba ${FOREIGN}`.split(
    ' ',
  ),
);
/** `Sr. Juan García` is a gentleman, `John Smith, Sr.` a father. */
const GENTLEMAN = /^\s*sr\.?\s+(?=\p{L})/iu;
/** `M. Jean Dupont` is one as well, unless M is short for a name: both are kept. */
const INITIAL_OR_MONSIEUR = /^\s*M\.\s+(?=\p{L})/u;
const GENERATIONS = new Set(['jr', 'sr', 'junior', 'senior', 'ii', 'iii', 'iv']);
const PARTICLES = new Set('van von der den de del di da dos v d zu la le el al bin ter ten'.split(' '));
/** Short forms that stand for one name; a short form of several names proves none of them. */
const NICKNAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bob: 'robert',
    rob: 'robert',
    bill: 'william',
    will: 'william',
    liz: 'elizabeth',
    beth: 'elizabeth',
    alex: 'alexander',
    tom: 'thomas',
    mike: 'michael',
    kathi: 'katharina',
    max: 'maximilian',
    chris: 'christopher',
    dan: 'daniel',
    ben: 'benjamin',
    matt: 'matthew',
    joe: 'joseph',
    ted: 'edward',
    ed: 'edward',
    rick: 'richard',
    dick: 'richard',
    jen: 'jennifer',
    jenny: 'jennifer',
    susi: 'susanne',
    hannes: 'johannes',
    steve: 'stephen',
    tony: 'anthony',
    dave: 'david',
    jim: 'james',
    kate: 'katherine',
    nick: 'nicholas',
    greg: 'gregory',
    andy: 'andrew',
    sam: 'samuel',
  }),
);

/** Every form of a person's name; no words for an empty name. */
export function nameForms(fullName: string): NameForms {
  const cleaned = fullName
    .replace(/\([^)]*\)/g, ' ')
    .replace(/[’']/g, '')
    .replace(/\b(mc|mac)\s+(?=\p{L})/giu, '$1');
  const [before = '', ...after] = cleaned.split(',').map((part) => part.replace(GENTLEMAN, ''));
  // "Müller, Anna" names the family first; "Anna Schmidt, PhD" does not.
  const given = after.flatMap((part) => plainWords(part)[0] ?? []).filter((word) => !isTitle(word));
  const ordered = given.length > 0 ? `${after.join(' ')} ${before}` : [before, ...after].join(',');
  const without = ordered.replace(INITIAL_OR_MONSIEUR, '');
  const lists = [...plainWords(ordered), ...(without === ordered ? [] : plainWords(without))];
  const generation = lists[0]?.find((word) => GENERATIONS.has(word)) ?? '';
  return { words: lists.map(nameWords).filter((list) => list.length > 0), generation };
}

function plainWords(text: string): string[][] {
  return foldings(text).map((folded) => folded.match(/[\p{L}\p{N}]+/gu) ?? []);
}

function isTitle(word: string): boolean {
  return TITLES.has(word) || GENERATIONS.has(word);
}

function nameWords(list: readonly string[]): string[] {
  const kept = list.filter((word) => !isTitle(word) && !PARTICLES.has(word));
  return kept.filter((word, index) => word.length > 1 || index === 0).map((word) => NICKNAMES.get(word) ?? word);
}

/** A full name in its parts; '' is unknown. */
export interface NameParts {
  firstName: string;
  lastName: string;
  /** With the given name first. */
  fullName: string;
}

/** Takes a full name apart as its bearer would be addressed: "Müller, Dr. Anna" is Anna Müller, "Anna Müller, Ph.D." too. */
export function nameParts(fullName: string): NameParts {
  const spelled = spelledOut(fullName);
  const [before = '', ...after] = withoutTails(spelled.split(/[,;\uff0c]/).map((part) => part.trim()));
  const given = after.filter((part) => (plainWords(part)[0] ?? []).some((word) => !isTitle(word))).join(' ');
  if (given !== '' && before !== '') {
    const words = withoutAddress(spokenWords(given).join(' '));
    return { firstName: words.join(' '), lastName: before, fullName: `${given} ${before}` };
  }
  const spoken = spokenWords(before || spelled);
  const words = withoutDegrees(withoutAddress(spoken.join(' ')));
  const [first = '', ...rest] = words;
  if (rest.length > 0 && isGroup(first)) return { firstName: '', lastName: rest.join(' '), fullName };
  // "Frau Müller" says no given name.
  const addressed = spoken.slice(0, spoken.length - words.length).some((word) => isAddress(word, false));
  if (rest.length === 0 && addressed) return { firstName: '', lastName: first, fullName };
  return { firstName: first, lastName: rest.join(' '), fullName };
}

const isGroup = (word: string): boolean => GROUPS.has((plainWords(word)[0] ?? []).join(''));

/** Titles that are written together with the name: `Dr.Karl`, `Ms.Jane`. */
const TOGETHER =
  /(?<![\p{L}.])((?:(?:[Dd]r|DR|[Pp]rof|[Mm]rs?|MRS?|[Mm]s|MS|[Mm]ag|[Ii]ng|med|[Dd]ipl|[HF]r|[Ss]ra?|[Mm]me|phil|jur|rer|nat)\.)+)-?(?=\p{Lu}\p{Ll}+(?:\s|$))/gu;

/** The words as they are meant: apart, without signs that nobody sees, and without whom a letter goes to. */
function spelledOut(fullName: string): string {
  const text = fullName
    .replace(/[\u200b\u2060\ufeff]/g, ' ')
    .replace(/(?!\u200c|\u200d)\p{Cf}/gu, '')
    .replace(TOGETHER, '$1 ')
    .replace(TO_WHOM, '');
  const joined = /^\s*(\p{L}{2,})[._](\p{L}{2,})\s*$/u.exec(text);
  const known =
    joined && [joined[1], joined[2]].some((part) => isAddress(`${part}.`, false) || ACADEMIC.has(part ?? ''));
  return joined && !known ? `${joined[1]} ${joined[2]}` : text;
}

/**
 * The parts between commas without degrees and certificates (`Ph.D.`, `CISSP`, `SHRM-CP`): what is dotted or all capitals behind two words
 * or more. Where all of the name is in capitals (`LOPEZ RUIZ, MARIA`) it takes more than capitals, and an initial is a given name.
 */
function withoutTails(parts: readonly string[]): string[] {
  const [before = '', ...after] = parts;
  const names = before.split(/\s+/).filter((word) => /\p{L}{2}/u.test(word) && !isAddress(word, false));
  const shouted = before === before.toUpperCase() && before !== before.toLowerCase();
  if (names.length < 2) return [...parts];
  return [before, ...after.filter((part) => !(shouted ? isCertificate(part) : isTail(part) || isOccupation(part)))];
}

/** Degrees that are written with blanks: `Ph. D.`, `M. Sc.` */
const SPACED_DEGREE = /^(?:Ph|M|B|D|Ed|LL|Dr|J|M\.? ?B)\. (?:D|Sc|A|Eng|M|B|Phil|Ed|rer|Com|Tech|Arch|Ed)\.?(?:\s|$)/;

/** `Speaker`, `CEO at Acme`: what somebody does, behind a name of two words. */
function isOccupation(part: string): boolean {
  return SPACED_DEGREE.test(part) || OCCUPATION.test(part) || seniorityOf(part) !== '';
}

/** Certificates that could be a name when all is in capitals. */
const CERTIFICATES = new Set(
  'cissp cisa cism cipp cipm ccna cebs caia acca cima chrp sphr leed acsm cams cfre'.split(' '),
);

function isCertificate(part: string): boolean {
  const [word = ''] = part.trim().split(/\s+/);
  const plain = (plainWords(word)[0] ?? []).join('');
  return (
    isTail(part) && (/[\d.®™-]/.test(word) || plain.length <= 3 || !/[aeiouy]/.test(plain) || CERTIFICATES.has(plain))
  );
}

function isTail(part: string): boolean {
  const [word = ''] = part
    .replace(/[®™©()]/g, '')
    .trim()
    .split(/\s+/);
  if (/^\p{Lu}\.$/u.test(word)) return false;
  const capitals = (word.match(/\p{Lu}/gu) ?? []).length;
  const dotted = /\p{L}\.\p{L}/u.test(word);
  return dotted || (capitals >= 2 && !/\p{Ll}{3}/u.test(word));
}

/** `Anna Brandt PhD`: known degrees in capitals behind a name of two words. */
function withoutDegrees(words: readonly string[]): string[] {
  const kept = [...words];
  while (kept.length > 2 && isDegree(kept.at(-1) ?? '')) kept.pop();
  return kept;
}

function isDegree(word: string): boolean {
  const [plain = ''] = plainWords(word.replace(/\./g, ''))[0] ?? [];
  return isTail(word) && TITLES.has(plain) && !ADDRESSES.has(plain);
}

/** Pictures, flags and quotes around a word. */
const AROUND =
  /^(?:[\p{Extended_Pictographic}\p{So}\p{Emoji_Modifier}"“”„«»*~]|\ufe0f)+|(?:[\p{Extended_Pictographic}\p{So}\p{Emoji_Modifier}"“”„«»*~]|\ufe0f)+$/gu;

/** The words that are said: no pronouns in brackets, no slogan behind a bar, no signs; all of them where nothing else is left. */
function spokenWords(text: string): string[] {
  const words = text.split(/\s+/);
  const bare = text.replace(/\([^)]*\)|\[[^\]]*\]/g, ' ').replace(/\s[|•].*$/s, '');
  const said = bare.split(/\s+/);
  const last = said.findLastIndex((word) => /[\p{L}\p{N}]/u.test(word));
  if (last < 0) return words;
  const spoken = said.slice(0, last + 1).filter((word) => word !== '');
  // "#1 Jane Roe", "1. Jane Roe"
  const first = spoken.findIndex((word) => /\p{L}/u.test(word));
  const kept = spoken.slice(Math.max(first, 0));
  return kept.map((word) => word.replace(AROUND, '') || word);
}

/** Whether a word stands before a name and is none itself. @param behind whether such a word stands before it */
function isAddress(word: string, behind: boolean): boolean {
  const parts = plainWords(word)[0] ?? [];
  if (parts.length === 0) return false;
  if (/^(?:M\.|Sr\.?)$/.test(word) || isPointedTitle(word)) return true;
  if (!parts.every((part) => ADDRESSES.has(part) || ACADEMIC.has(part))) return false;
  return parts.some((part) => ADDRESSES.has(part)) || (behind && (word.includes('.') || word === word.toLowerCase()));
}

/** The same of words that are names too, or that nobody knows: two words must be left behind them. */
function isTitleHere(word: string, left: number, behind: boolean): boolean {
  if (left < 2) return false;
  const plain = (plainWords(word)[0] ?? []).join('');
  if (behind && /^(?:FH|BA|Ret)\.?$/.test(word)) return true;
  if (IN_CAPITALS.test(word) || isDottedTitle(word) || (plain === 'd' && word === 'D.')) return true;
  return SOMETIMES.has(plain) || /^mgr$|^inz$|^lt$|^col$|^hab$/.test(plain);
}

/** The words behind titles and what is no word; never none. */
export function withoutAddress(text: string): string[] {
  const words = text.split(/\s+/);
  let behind = false;
  for (const [index, word] of words.entries()) {
    if (!/[\p{L}\p{N}]/u.test(word)) continue;
    const left = words.length - index - 1;
    if (!isAddress(word, behind) && !isTitleHere(word, left, behind)) return words.slice(index);
    behind = true;
  }
  return words;
}

/** Whether two names may be one person's: same words, also turned round, or one middle or second family name more. */
export function sameName(a: NameForms, b: NameForms): boolean {
  if (a.generation !== b.generation) return false;
  return a.words.some((one) => b.words.some((other) => sameWords(one, other)));
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < 2) return false;
  if (short.length === long.length) return [...short].sort().join(' ') === [...long].sort().join(' ');
  if (long.length - short.length > 1) return false;
  const sameEnds = short[0] === long[0] && short.at(-1) === long.at(-1);
  return sameEnds || short.every((word, index) => word === long[index]);
}
