import { tokensOf } from './text-tokens.ts';
import type { WritingFact } from './writing-fact.ts';

interface Range {
  from: number;
  to: number;
}

const QUOTE = /"([^"]{2,})"|“([^”]{2,})”|„([^“”]{2,})[“”]|«\s?([^»]{2,})»|(?<!\w)[‘']([^’']{12,})[’'](?!\w)/g;

/** What a text quotes: covered where a cited fact, or the house's own words, say it word for word. */
export function quotesIn(
  text: string,
  cited: readonly WritingFact[],
  ownText: string,
): { covered: Range[]; bare: Range[] } {
  const known = [...cited.map((fact) => fact.text), ownText].map((source) => ` ${folded(source)} `);
  const covered: Range[] = [];
  const bare: Range[] = [];
  for (const match of text.matchAll(QUOTE)) {
    const quoted = match.slice(1).find((part) => part !== undefined) ?? '';
    const range = { from: match.index, to: match.index + match[0].length };
    (known.some((source) => source.includes(` ${folded(quoted)} `)) ? covered : bare).push(range);
  }
  return { covered, bare };
}

function folded(text: string): string {
  return tokensOf(text)
    .map((token) => token.folded)
    .join(' ');
}
