const MARKS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  caron: '\u030c',
  cedil: '\u0327',
};
const NAMED: Readonly<Record<string, string>> = {
  nbsp: ' ',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  rsquo: '\u2019',
  lsquo: '\u2018',
  ldquo: '\u201c',
  rdquo: '\u201d',
  ndash: '\u2013',
  mdash: '\u2014',
  hellip: '\u2026',
  euro: '\u20ac',
  szlig: '\u00df',
  oslash: '\u00f8',
  aelig: '\u00e6',
  oelig: '\u0153',
};

/** The character of an entity; letters with a mark are made of both. */
function characterOf(name: string): string | undefined {
  const number = name.startsWith('#') ? Number(name.slice(1).replace(/^x/i, '0x')) : Number.NaN;
  if (number > 0 && number <= 0x10ffff) return String.fromCodePoint(number);
  const [, letter = '', mark = ''] = /^([a-zA-Z])(grave|acute|circ|tilde|uml|ring|caron|cedil)$/.exec(name) ?? [];
  return letter === '' ? NAMED[name] : `${letter}${MARKS[mark]}`.normalize('NFC');
}

/** A text with the characters that HTML spells (`&uuml;`, `&#8217;`); what is no entity stays. */
export function withoutEntities(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => characterOf(name) ?? whole);
}
