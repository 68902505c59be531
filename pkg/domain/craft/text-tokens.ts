import { foldReply } from '../fold-reply.ts';

/** A word, a number or a sign of a text. */
export interface Token {
  text: string;
  /** Lower case, no accents; a number in one spelling. */
  folded: string;
  /** Places in the text, UTF-16 units. */
  from: number;
  to: number;
  number: boolean;
  capital: boolean;
  /** The first word of its clause. */
  starts: boolean;
  /** Index of its clause. */
  clause: number;
}

/** Clauses end at points, questions, colons and line breaks; a point within a number or a name ends none. */
const CLAUSE_END = /[.!?…:;]+["”»')]*(?=\s|$)|\n+|[¿¡]/g;
const TOKEN = /\d+(?:[.,]\d+)*|\p{L}[\p{L}\p{M}\p{N}]*|[%€$£]/gu;
/** Thousands with separators. */
const THOUSANDS = /^\d{1,3}(?:[.,]\d{3})+$/;

/** Small numbers as words, in the languages that are written. */
const VALUES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'two zwei deux dos',
    'three drei trois tres',
    'four vier quatre cuatro',
    'five funf cinq cinco',
    'six sechs seis',
    'seven sieben sept siete',
    'eight acht huit ocho',
    'nine neun neuf nueve',
    'ten zehn dix diez',
    'eleven elf onze once',
    'twelve zwolf douze doce',
  ].flatMap((words, index) => words.split(' ').map((word) => [word, String(index + 2)])),
);

/** The tokens of a text, in order. */
export function tokensOf(text: string): readonly Token[] {
  const ends = [...text.matchAll(CLAUSE_END)].map((match) => match.index);
  const tokens: Token[] = [];
  let clause = 0;
  let before = -1;
  for (const match of text.matchAll(TOKEN)) {
    const { index: from } = match;
    const [word] = match;
    while (clause < ends.length && (ends[clause] ?? from) < from) clause++;
    const digits = /^\d/.test(word);
    const folded = digits ? plainNumber(word) : foldReply(word);
    tokens.push({
      text: word,
      folded: VALUES[folded] ?? folded,
      from,
      to: from + word.length,
      number: digits || Object.hasOwn(VALUES, folded),
      capital: /^\p{Lu}/u.test(word),
      starts: clause !== before,
      clause,
    });
    before = clause;
  }
  return tokens;
}

/** A text on record with its tokens, which are made once and serve all segments that are judged by it. */
export type Tokenized<T extends { text: string }> = T & { tokens: readonly Token[] };

/** Adds the tokens of a text on record. */
export function tokenized<T extends { text: string }>(of: T): Tokenized<T> {
  return { ...of, tokens: tokensOf(of.text) };
}

/** Clauses that ask: by index, whether a question mark ends them. */
export function asksByClause(text: string): (clause: number) => boolean {
  const ends = [...text.matchAll(CLAUSE_END)].map(([sign]) => sign.includes('?'));
  return (clause) => ends[clause] ?? false;
}

function plainNumber(digits: string): string {
  if (THOUSANDS.test(digits)) return digits.replace(/[.,]/g, '');
  return digits.replace(',', '.');
}

/** Endings that change no meaning, by language: plurals and cases. What makes a past of a present is none of them. */
const ENDINGS = {
  en: /(?:es|s)$/,
  de: /(?:en|er|em|es|e|n|s)$/,
  fr: /(?:es|e|s|x)$/,
  es: /(?:es|s)$/,
} as const;

/** Whether two folded words are the same one, whatever its number and case. */
export function sameWord(a: string, b: string, language: keyof typeof ENDINGS): boolean {
  if (a === b) return true;
  if (a.length < 3 || b.length < 3 || Math.abs(a.length - b.length) > 2) return false;
  const ending = ENDINGS[language];
  const [shortA, shortB] = [a.replace(ending, ''), b.replace(ending, '')];
  return shortA.length >= 3 && (shortA === shortB || shortA === b || a === shortB);
}

/** Whether two folded words have the same stem: hire, hired and hiring. */
export function sameStem(a: string, b: string): boolean {
  const stem = (word: string): string => word.replace(/(?:ing|ed|es|e|s|en|t|er|ant|ando|iendo|o|a)$/, '');
  return stem(a).length >= 3 && stem(a) === stem(b);
}
