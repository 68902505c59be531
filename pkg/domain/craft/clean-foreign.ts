import { usableText } from '../../base/usable-text.ts';

/** Signs that nobody sees: controls, direction marks, zero-width signs, variation selectors, the block of tags. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]|\u034f|[\u115f\u1160\u17b4\u17b5\u3164\uffa0]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]/gu;

/**
 * Words of others as a prompt may carry them: one form of each letter (NFKC), nothing invisible, one line, at most `max` UTF-16 units.
 * Angle brackets, braces and bars become others, so that nothing ends what they stand between.
 */
export function cleanForeign(text: string, max: number): string {
  const plain = text
    .slice(0, max * 4)
    .normalize('NFKC')
    .replace(/[\n\r\t\u2028\u2029]+/g, ' ')
    .replace(UNSEEN, '')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll('{{', '{ {')
    .replaceAll('|', '¦')
    .replace(/\s+/g, ' ')
    .trim();
  return usableText(plain, max).trim();
}
