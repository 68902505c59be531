/** Letters that Unicode does not take apart, and how people write them without the key; `make generate` writes app.folded from them. */
export const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  œ: 'oe',
  ς: 'σ',
};
/** The long way to write a letter: ü as ue; `make generate` writes app.folded from them. */
export const LONG: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe', æ: 'ae' };

/** Lower case without accents, in the one or two ways in which people leave them out: `Müller` is muller and mueller. */
export function foldings(text: string): readonly string[] {
  const lower = text.normalize('NFC').toLowerCase();
  const short = plain(lower);
  const long = plain(lower.replace(/[äöüåøæ]/g, (letter) => LONG[letter] ?? letter));
  return short === long ? [short] : [short, long];
}

/** Each word in every way in which somebody may look for it, as alternatives of a tsquery of beginnings; '' without words. */
export function foldedQuery(query: string): string {
  const words = query.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => alternatives(word) ?? []).join(' & ');
}

function alternatives(word: string): string | null {
  const forms = foldings(word).filter((form) => /^[\p{L}\p{M}\p{N}]+$/u.test(form) && /[\p{L}\p{N}]/u.test(form));
  const [first, ...more] = forms.map((form) => `${form}:*`);
  if (first === undefined) return null;
  return more.length === 0 ? first : `(${[first, ...more].join(' | ')})`;
}

function plain(lower: string): string {
  return lower
    .replace(/[ßæøłđðþıœς]/g, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}
