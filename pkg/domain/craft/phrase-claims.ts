import type { Token } from './text-tokens.ts';
import type { Recency } from './words/language-words.ts';
import type { WordSets } from './words/words-of.ts';
import type { WritingFact } from './writing-fact.ts';

interface Range {
  from: number;
  to: number;
}
interface Judged {
  covered: Range[];
  bare: Range[];
}

const DAY_MS = 86_400_000;
/** As long ago "recently" may be. */
const LATELY_MS = 60 * DAY_MS;
/** Talks, which what somebody wrote never proves. */
const SPOKEN =
  /\b(?:call\w*|chat\w*|meet\w*|met|spoke\w*|speak\w*|talk\w*|anruf\w*|gesprach\w*|treffen|getroffen|appel\w*|rencontr\w*|llamada\w*|reunion\w*|charla\w*|conoc\w*)\b/;

/** Phrases like "last week": covered where a cited fact happened then. */
export function recencies(
  tokens: readonly Token[],
  cited: readonly WritingFact[],
  words: WordSets,
  now: number,
): Judged {
  const judged: Judged = { covered: [], bare: [] };
  const line = joined(tokens);
  for (const [phrase, meaning] of words.recent) {
    for (const range of line.find(new RegExp(`\\b${phrase}\\b`, 'g'))) {
      const then = cited.some((fact) => fact.at !== null && happened(meaning, fact.at, now));
      (then ? judged.covered : judged.bare).push(range);
    }
  }
  return judged;
}

/** Phrases that speak of an earlier contact: covered where the person's own message is cited, and none of them is a talk. */
export function earlierContacts(tokens: readonly Token[], cited: readonly WritingFact[], words: WordSets): Judged {
  const judged: Judged = { covered: [], bare: [] };
  const heard = cited.some(({ source }) => source === 'conversation:in');
  const line = joined(tokens);
  for (const range of line.find(words.earlierContact)) {
    const talk = SPOKEN.test(line.slice(range));
    // What is covered is only the phrase: its words still have to be covered one by one.
    if (!heard || talk) judged.bare.push(range);
  }
  return judged;
}

/** Phrases that tell what others say of us, or do with us: bare unless the person's own message is cited. */
export function hearsay(tokens: readonly Token[], cited: readonly WritingFact[], words: WordSets): readonly Range[] {
  return cited.some(({ source }) => source === 'conversation:in') ? [] : joined(tokens).find(words.hearsay);
}

function happened(meaning: Recency, at: number, now: number): boolean {
  const days = Math.floor(now / DAY_MS) - Math.floor(at / DAY_MS);
  if (days < 0) return false;
  const [then, today] = [new Date(at), new Date(now)];
  const months = (today.getUTCFullYear() - then.getUTCFullYear()) * 12 + today.getUTCMonth() - then.getUTCMonth();
  switch (meaning) {
    case 'yesterday':
      return days === 1;
    case 'this week':
      return weekOf(at) === weekOf(now);
    case 'last week':
      return weekOf(now) - weekOf(at) === 1;
    case 'this month':
      return months === 0;
    case 'last month':
      return months === 1;
    case 'this year':
      return then.getUTCFullYear() === today.getUTCFullYear();
    case 'last year':
      return today.getUTCFullYear() - then.getUTCFullYear() === 1;
    case 'lately':
      return now - at <= LATELY_MS;
  }
}

/** Weeks from Monday to Sunday. */
function weekOf(at: number): number {
  return Math.floor((Math.floor(at / DAY_MS) + 3) / 7);
}

/** The folded words with one blank between, and where what is found in them stands in the text. */
function joined(tokens: readonly Token[]) {
  const starts: number[] = [];
  let text = '';
  for (const token of tokens) {
    text += text === '' ? '' : ' ';
    starts.push(text.length);
    text += token.folded;
  }
  const placed = (place: number): Token | undefined => tokens[starts.findLastIndex((start) => start <= place)];
  return {
    find: (pattern: RegExp): Range[] =>
      [...text.matchAll(pattern)].flatMap((match) => {
        const [first, last] = [placed(match.index), placed(match.index + match[0].length - 1)];
        return first && last ? [{ from: first.from, to: last.to }] : [];
      }),
    slice: ({ from, to }: Range): string =>
      tokens
        .filter((token) => token.from >= from && token.to <= to)
        .map((token) => token.folded)
        .join(' '),
  };
}
