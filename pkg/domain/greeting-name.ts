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
  if (!/\p{L}/u.test(plain)) return said(firstName);
  const [before = ''] = plain.split(/,|\s[|/–-]\s/);
  const only = withoutAddress(before.trim())
    .join(' ')
    .replace(/[\s|,·•*–-]+$/u, '');
  const called = nameParts(`${only} X`).firstName;
  const titleAlone = called === 'X' || called === '';
  return titleAlone || /@|\/\/|www\./.test(only) ? '' : inItsCase(only);
}

/** The family name as it is written to its bearer; '' where the text is damaged. */
export function familyName(lastName: string): string {
  if (isDamaged(lastName)) return '';
  const [before = ''] = plainName(lastName).split(',');
  return inItsCase(before.trim());
}

/** Without pictures, quoted nicknames and what stands in brackets. */
function plainName(text: string): string {
  return text
    .normalize('NFC')
    .replace(SIGNS, ' ')
    .replace(/\([^()]*\)|\[[^[\]]*\]|["“„][^"“”„]*["”“]/gu, ' ')
    .replace(/[\p{Cc}\u200b\u200e\u200f\u2060\ufeff]/gu, ' ')
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
