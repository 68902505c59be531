import { foldings } from './fold-text.ts';

/** Before, between and behind the words of a name; PostgreSQL and JavaScript read these the same. */
const LETTERS = '0-9A-Za-z\\u00aa\\u00ba\\u00c0-\\u024f\\u0370-\\u1fff';
const BETWEEN = '[\\s\\u00a0._-]{1,3}';
/** A longer name of somebody else is known with a comma too. */
const BETWEEN_OTHERS = '[\\s\\u00a0.,_-]{1,3}';
/** `Last, First` is a name where nothing stands beside it in its line, field, quotes, brackets or list by semicolons. */
const ALONE_FROM = '(?<=(?:^|[\\n\\r\\t"\\u201c\\u201e\'<>()\\[\\]{};:|/]|\\\\[nrt])[ \\u00a0]{0,2})';
const ALONE_TO = '(?=[ \\u00a0]{0,2}(?:$|[\\n\\r\\t"\\u201c\\u201d\'<>()\\[\\]{};|/.!?]|\\\\[nrt]))';
const COMMA = '[ \\u00a0]?,[ \\u00a0]{0,2}';
/** A letter behind an escaped line break of a JSON document begins a word. */
const START = `(?:(?<![${LETTERS}-])|(?<=(?:^|[^\\\\])\\\\[bfnrt]))`;
const END = `(?![${LETTERS}\\u0300-\\u036f]|-[${LETTERS}])`;
/** Inside a word: `O'Brien`, `Jean-Luc`. */
const INSIDE = "[\\s\\u00a0.'\\u2019_-]{0,2}";
const MARKS = '[\\u0300-\\u036f]*';
/** Two letters that stand for one. */
const PAIRS: Readonly<Record<string, string>> = { ae: 'äæ', oe: 'öøœ', ue: 'ü', aa: 'å', ss: 'ß', th: 'þ' };
const SHORTEST_NUMBER = 7;
/** Digits that tell a telephone number in whatever way its beginning is written. */
const TELLING_DIGITS = 9;

/** By letter: all ways to write it with an accent, in both cases. */
const VARIANTS = variants();

function variants(): ReadonlyMap<string, string> {
  const found = new Map<string, Set<string>>();
  for (const [from, to] of [
    [0xc0, 0x24f],
    [0x1e00, 0x1eff],
  ] as const) {
    for (let code = from; code <= to; code++) {
      const letter = String.fromCodePoint(code);
      for (const folded of foldings(letter))
        if (/^[a-z]$/.test(folded)) found.set(folded, (found.get(folded) ?? new Set()).add(letter));
    }
  }
  return new Map([...found].map(([letter, all]) => [letter, [...all].join('')]));
}

/** What in texts people call a person by besides their addresses. */
export interface SpokenNames {
  /** Full names as records have them. */
  names: readonly string[];
  /** Telephone numbers as records have them. */
  phones: readonly string[];
}

/** What others bear in the same workspace. */
export type Others = SpokenNames;

/**
 * A regular expression that finds a person's full name and telephone numbers in prose, in any case, with or without accents (`Müller`,
 * `Mueller`, `MULLER`), in either order, with dots or hyphens between the words. A comma between makes a name only where `Last, First` stands
 * alone: in `Lena Müller, Anna Schmidt` it parts two people. The rule: only all words of a name
 * together, as whole words, name the person. A first or last name alone never does, since it is anybody's; neither does a name that
 * somebody else in the same workspace bears, and where theirs is longer (`Juan García López`), it stays. The same holds for numbers.
 * It reads the same in PostgreSQL (`~*`) and in JavaScript (flags `gi`). Null: there is nothing to look for.
 */
export function spokenPattern(
  { names, phones }: SpokenNames,
  others: Others = { names: [], phones: [] },
): string | null {
  const theirs = others.names.flatMap(wordsOf);
  const numbers = new Set(others.phones.map(tellingDigits));
  const parts = [
    ...names.flatMap((name) =>
      wordsOf(name).some((own) => theirs.some((one) => isSame(own, one))) ? [] : namePatterns(name, theirs),
    ),
    ...phones
      .map(tellingDigits)
      .filter((digits) => digits !== '' && !numbers.has(digits))
      .map(phonePattern),
  ];
  return parts.length === 0 ? null : [...new Set(parts)].join('|');
}

/** What a text of the letters a to z has to hold, in lower case, where {@link spokenPattern} can find anything: patterns of LIKE. */
export function spokenNeedles({ names, phones }: SpokenNames): string[] {
  const ofNames = names.flatMap((name) =>
    wordsOf(name).flatMap((words) => {
      const letters = words.map((word) => [...word].filter((letter) => /[a-z0-9]/.test(letter)).join('%'));
      return [letters, [...letters].reverse()].map((list) => `%${list.join('%')}%`);
    }),
  );
  const ofPhones = phones.map(tellingDigits).filter((digits) => digits !== '');
  return [...new Set([...ofNames, ...ofPhones.map((digits) => `%${[...digits].join('%')}%`)])];
}

/** The words of a full name, once per way to leave accents out; none for a name of one word, which is anybody's. */
function wordsOf(name: string): string[][] {
  return foldings(name)
    .map((folded) => folded.match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((words) => words.length > 1 && words.some((word) => word.length > 2));
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && [...a].sort().join(' ') === [...b].sort().join(' ');
}

function namePatterns(name: string, theirs: readonly (readonly string[])[]): string[] {
  if (wordsOf(name).length === 0) return [];
  const written = name
    .normalize('NFC')
    .toLowerCase()
    .split(/[\s.,_]+/)
    .map((word) => word.match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((parts) => parts.length > 0);
  const orders: [order: string[][], comma: number][] = [[written, commaIn(name)]];
  for (let first = 1; first < written.length; first++)
    orders.push([[...written.slice(first), ...written.slice(0, first)], written.length - first]);
  return orders.flatMap(([order, comma]) => {
    const text = order.length > 1 ? spaced(order) : order.flat().map(wordPattern).join(INSIDE);
    const whole = guarded(text, order.flat(), theirs);
    if (comma <= 0 || comma >= order.length) return [whole];
    const turned = `${spaced(order.slice(0, comma))}${COMMA}${spaced(order.slice(comma))}`;
    return [whole, `${ALONE_FROM}${guarded(turned, order.flat(), theirs)}${ALONE_TO}`];
  });
}

/** How many words a record writes before its comma; 0: it has none. */
function commaIn(name: string): number {
  const [last = '', first] = name.split(',');
  return first === undefined ? 0 : last.split(/[\s.,_]+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

function spaced(words: readonly (readonly string[])[]): string {
  return words.map((parts) => parts.map(wordPattern).join(INSIDE)).join(BETWEEN);
}

/** As whole words, and no part of a longer name of somebody else. */
function guarded(text: string, words: readonly string[], theirs: readonly (readonly string[])[]): string {
  const longer = theirs.flatMap((one) => around(one, words));
  const before = longer.flatMap(([pre]) =>
    pre.length > 0 ? [`(?<!${pre.map(wordPattern).join(BETWEEN_OTHERS)}${BETWEEN_OTHERS})`] : [],
  );
  const after = longer.flatMap(([, post]) =>
    post.length > 0 ? [`(?!${BETWEEN_OTHERS}${post.map(wordPattern).join(BETWEEN_OTHERS)})`] : [],
  );
  return `${START}${[...new Set(before)].join('')}${text}${END}${[...new Set(after)].join('')}`;
}

/** What stands before and behind my words in a longer name of somebody else. */
function around(words: readonly string[], mine: readonly string[]): [pre: string[], post: string[]][] {
  const own = mine.map((word) => foldings(word));
  for (let at = 0; at + mine.length <= words.length; at++)
    if (own.every((ways, index) => ways.includes(words[at + index] ?? '')) && words.length > mine.length)
      return [[words.slice(0, at), words.slice(at + mine.length)]];
  return [];
}

/** A word in lower case, with each accent that its letters may have. */
function wordPattern(word: string): string {
  let pattern = '';
  for (let at = 0; at < word.length; ) {
    const pair = word.slice(at, at + 2);
    const single = PAIRS[pair];
    const long = Object.entries(PAIRS).find(([, letters]) => letters.includes(word[at] ?? ''))?.[0];
    if (single !== undefined) {
      pattern += `(?:${[...pair].map(letterPattern).join('')}|[${single}${single.toUpperCase()}]|${letterPattern(pair[0] ?? '')})`;
      at += 2;
    } else if (long !== undefined) {
      const short = foldings(word[at] ?? '')[0] ?? '';
      pattern += `(?:${[...long].map(letterPattern).join('')}|${[...short].map(letterPattern).join('')}|${word[at]})`;
      at += 1;
    } else {
      const letter = String.fromCodePoint(word.codePointAt(at) ?? 0);
      pattern += letterPattern(letter);
      at += letter.length;
    }
  }
  return pattern;
}

function letterPattern(letter: string): string {
  const folded = foldings(letter)[0] ?? letter;
  const known = VARIANTS.get(folded);
  if (known !== undefined) return `[${folded}${folded.toUpperCase()}${known}]${MARKS}`;
  return `${[...letter].map((one) => (one === one.toUpperCase() ? one : `[${one}${one.toUpperCase()}]`)).join('')}${MARKS}`;
}

/** The last digits of a telephone number; '' where they are too few to tell one. */
function tellingDigits(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length < SHORTEST_NUMBER ? '' : digits.slice(-TELLING_DIGITS);
}

function phonePattern(digits: string): string {
  const between = '[ ()./-]{0,2}';
  return `(?<![0-9+])(?:\\+?[0-9][0-9 ()./-]{0,7})?${[...digits].join(between)}(?![0-9])`;
}
