/** Letters of other scripts that look like Latin ones. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  ['аa', 'вb', 'еe', 'кk', 'мm', 'нh', 'оo', 'рp', 'сc', 'тt', 'уy', 'хx', 'іi', 'ѕs', 'јj', 'ԁd', 'ԛq', 'ԝw', 'һh']
    .concat(['αa', 'εe', 'ιi', 'κk', 'νv', 'οo', 'ρp', 'τt', 'υu', 'χx', 'ıi', 'ɑa', 'ɡg', 'ո' + 'n', 'ս' + 'u'])
    .map((pair) => [...pair] as [string, string]),
);
const FOREIGN = /[\u0370-\u058f\u0131\u0251\u0261]/u;
/** Letters one by one, with blanks or signs between them: `s t o p`, `s.t.o.p.` */
const SPELLED = /(?<![\p{L}\p{N}])(?:\p{L}[ .*_-]{1,2}){3,14}\p{L}(?![\p{L}\p{N}'])/gu;

/** A word in Latin letters where others stand for them. */
export function inLatin(word: string): string {
  return FOREIGN.test(word) ? [...word].map((letter) => LOOKALIKES[letter] ?? letter).join('') : word;
}

/** A folded text in which words with letters of two scripts, and words that are spelled letter by letter, read as they look. */
export function unmasked(folded: string): string {
  const spoken = folded.replace(SPELLED, (letters) => letters.replace(/[^\p{L}]/gu, ''));
  if (!FOREIGN.test(spoken)) return spoken;
  return spoken.replace(/\p{L}+/gu, (word) => (/[a-z]/.test(word) ? inLatin(word) : word));
}
