/** Parts of patterns over folded sentences. A gap between two words never crosses the end of a sentence or a comma. */
const GAP = String.raw`(?:[^\S\n]+[^\s.,;:!?]+)`;

/** Up to `most` words between two others. */
export const few = (most: number): string => `${GAP}{0,${most}}`;

/** Up to forty signs of the same sentence. */
export const NEAR = String.raw`[^.!?\n]{0,40}?`;

/** The clause ends here. */
export const END = String.raw`(?= *[.!?,;:\n)]| *$| +[-–—] )`;

/** Patterns that match as whole words. */
export const alone = (patterns: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${patterns.join('|')})(?![\\p{L}\\p{N}])`, 'u');

const escapeWord = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ /g, '[\\s,]+');

/** One of the words or phrases of a list. */
export const wholeWords = (list: readonly string[]): RegExp => alone(list.map(escapeWord));

/** The clauses of a text, trimmed, without empty ones. */
export function clausesOf(text: string): string[] {
  return text
    .split(/[.!?;:,\n\u3002\uff01\uff0c\u2013\u2014]+|(?:^|\s)-+(?:\s|$)/)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
}
