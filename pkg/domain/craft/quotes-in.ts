import type { Own } from './claim-coverage.ts';
import { type Token, type Tokenized, tokensOf } from './text-tokens.ts';
import type { WritingFact } from './writing-fact.ts';

interface Range {
  from: number;
  to: number;
}

const QUOTE = /"([^"]{2,})"|“([^”]{2,})”|„([^“”]{2,})[“”]|«\s?([^»]{2,})»|(?<!\w)[‘']([^’']{12,})[’'](?!\w)/g;

/** What a text quotes: covered where a cited fact, or the house's own words, say it word for word. */
export function quotesIn(
  text: string,
  cited: readonly Tokenized<WritingFact>[],
  own: Tokenized<Own>,
): { covered: Range[]; bare: Range[] } {
  const known = [...cited, own].map(({ tokens }) => ` ${folded(tokens)} `);
  const covered: Range[] = [];
  const bare: Range[] = [];
  for (const match of text.matchAll(QUOTE)) {
    const quoted = match.slice(1).find((part) => part !== undefined) ?? '';
    const range = { from: match.index, to: match.index + match[0].length };
    (known.some((source) => source.includes(` ${folded(tokensOf(quoted))} `)) ? covered : bare).push(range);
  }
  return { covered, bare };
}

function folded(tokens: readonly Token[]): string {
  return tokens.map((token) => token.folded).join(' ');
}
