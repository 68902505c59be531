import { isDamaged } from './damaged-text.ts';
import { nameParts, withoutAddress } from './person-name.ts';
import { said } from './said.ts';

const PARTICLES = new Set(
  'van von der den de del della di da do dos das du la le el al bin ibn ter ten zu zur y e'.split(' '),
);
/** Pictures, flags, stars and trade marks, with what colours and joins them. */
const SIGNS = /(?:[\p{Extended_Pictographic}\p{So}\p{Sk}\p{Emoji_Modifier}\p{RI}]|\ufe0e|\ufe0f|\u20e3)\u200d?/gu;

/**
 * The given name as its bearer is greeted: without titles, pictures and remarks, and not in capitals. '' where nobody is called that: the
 * text is damaged, a title alone, an address. The record keeps what was given.
 */
export function greetingName(firstName: string): string {
  if (isDamaged(firstName)) return '';
  const plain = plainName(firstName);
  // A picture or a number alone is how somebody wants to be called.
  if (!/\p{L}/u.test(plain)) return isNobody(firstName.replace(/[()[\]]/g, ' ')) ? '' : said(firstName);
  const [before = ''] = plain.split(/,|\s[|/–-]\s/);
  const only = withoutAddress(before.trim())
    .join(' ')
    .replace(/[\s|,·•*–-]+$/u, '');
  const called = nameParts(`${only} X`).firstName;
  const titleAlone = called === 'X' || called === '';
  return titleAlone || isNobody(only) ? '' : inItsCase(firstOf(only));
}

/** What lists and forms hold for a name, folded to letters and digits. */
const NOBODY = new Set(
  `null none undefined unknown unbekannt inconnu inconnue desconocido sconosciuto onbekend desconhecido nieznany test tester testing info sales admin
   administrator support office team kontakt contact hello hallo there firstname first lastname name fname lname vorname nachname prenom nombre nome voornaam
   imie fullname yourname linkedinmember linkedin member user username customer kunde guest gast anonymous anonym anonyme dear hi hey the true false blank
   ref value empty leer keine tbd xxx xx asdf webmaster noreply marketing hr jobs service ceo cto cfo coo mba phd msc bsc mr mrs ms herr frau salesteam supportteam
   recipient lead prospect company firma`.split(/\s+/),
);

/** A placeholder, a mail address, a formula: no name at all. */
function isNobody(name: string): boolean {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  if (NOBODY.has(plain)) return true;
  if (/^#?n\/a$/i.test(name.trim())) return true;
  // A question mark within a word stands for a letter that was lost; small letters before a number are the name of a user.
  return /[@{}%<>=|#\\^$\][()"]|\/\/|www\.|&#?\w+;|\p{L}\?|^[\p{Ll}._-]+\d{2,}$/u.test(name);
}

/** `anna.brandt` is Anna. */
function firstOf(name: string): string {
  return /^(\p{L}{2,})[._]\p{L}{2,}$/u.exec(name)?.[1] ?? name;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  quot: '"',
  nbsp: ' ',
  eacute: 'é',
  egrave: 'è',
  uuml: 'ü',
  ouml: 'ö',
  auml: 'ä',
};

/** What a web page made of the letters: tags and entities. */
function unescaped(text: string): string {
  return text
    .replace(/<\/?\w{1,10}>/g, ' ')
    .replace(/&#(\d{2,5});/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(\w{2,8});/g, (whole, name: string) =>
      Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? whole) : whole,
    );
}

/** The family name as it is written to its bearer; '' where the text is damaged. */
export function familyName(lastName: string): string {
  if (isDamaged(lastName)) return '';
  const [before = ''] = plainName(lastName).split(',');
  return inItsCase(before.trim());
}

/** Without pictures, quoted nicknames, what stands in brackets and what nobody sees; letters of mathematics and wide ones as plain ones. */
function plainName(text: string): string {
  return unescaped(text)
    .normalize('NFKC')
    .replace(/(?!\u200b|\u200c|\u200d|\u2060|\ufeff)\p{Cf}/gu, '')
    .replace(/(?<=\p{Script=Latin}|\p{Script=Cyrillic})(?:\u200c|\u200d)/gu, '')
    .replace(SIGNS, ' ')
    .replace(/\([^()]*\)|\[[^[\]]*\]|(?<=\S\s*)["“„][^"“”„]*["”“]/gu, ' ')
    .replace(/[\p{Cc}\u200b\u2060\ufeff]/gu, ' ')
    .replace(/^[\s*~"“”„!]+|[\s*~"“”„!]+$/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** `JEAN-PIERRE` and `jean-pierre` are Jean-Pierre; what mixes cases is how its bearer writes it, and `JP` is a short form. */
function inItsCase(name: string): string {
  const letters = name.match(/\p{L}/gu) ?? [];
  const shouted = name === name.toUpperCase() && name !== name.toLowerCase();
  const whispered = name === name.toLowerCase() && name !== name.toUpperCase();
  if ((!shouted && !whispered) || letters.length < (shouted ? 3 : 2)) return name;
  return name
    .split(' ')
    .map((word, index) => (index > 0 && PARTICLES.has(word.toLowerCase()) ? word.toLowerCase() : capitalised(word)))
    .join(' ');
}

function capitalised(word: string): string {
  return word
    .split(/(?<=[-'’.])/)
    .map((part) => {
      const [first = '', ...rest] = [...part];
      return (
        first.toUpperCase() +
        rest
          .join('')
          .toLowerCase()
          .replace(/i\u0307/g, 'i')
      );
    })
    .join('');
}
