import { tokensOf } from './text-tokens.ts';

/** Above it two texts are one text with other words here and there. Variants that read alike are no choice. */
const ALIKE = 0.7;

/** Whether a text is another one than each of these: they share less than 70 % of their words (Jaccard). */
export function isDistinct(text: string, others: readonly string[]): boolean {
  const own = wordsIn(text);
  return others.every((other) => {
    const theirs = wordsIn(other);
    const shared = [...own].filter((word) => theirs.has(word)).length;
    return shared / (own.size + theirs.size - shared || 1) < ALIKE;
  });
}

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(tokensOf(text).map(({ folded }) => folded));
}
