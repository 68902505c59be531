/** Letters that Unicode does not take apart, and how people write them without the key. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  œ: 'oe',
};
/** The long way to write a letter: ü as ue. */
const LONG: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe', æ: 'ae' };

/** Lower case without accents, in the one or two ways in which people leave them out: `Müller` is muller and mueller. */
export function foldings(text: string): readonly string[] {
  const lower = text.normalize('NFC').toLowerCase();
  const short = plain(lower);
  const long = plain(lower.replace(/[äöüåøæ]/g, (letter) => LONG[letter] ?? letter));
  return short === long ? [short] : [short, long];
}

function plain(lower: string): string {
  return lower
    .replace(/[ßæøłđðþıœ]/g, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '');
}
