import { greetingName } from '../greeting-name.ts';
import { carriesOrders } from './carries-orders.ts';
import type { Token } from './text-tokens.ts';
import type { WordSets } from './words/words-of.ts';

const NAME_WORD = /^\p{L}[\p{L}\p{M}]*(?:[-'’.]\p{L}[\p{L}\p{M}]*)*\.?$/u;
const MOST_WORDS = 3;

/**
 * How a text greets somebody of this first name; '' where that is more than a name. Everybody writes into that field what they like, so
 * a sentence, a quote or an order in it greets nobody.
 */
export function calledName(firstName: string): string {
  const name = greetingName(firstName);
  const words = name.split(' ');
  if (words.length > MOST_WORDS || !words.every((word) => NAME_WORD.test(word))) return '';
  return carriesOrders(name) ? '' : name;
}

/** Words after which somebody says who they are, in the languages that are written. */
const INTRODUCES = new Set('am m name is bin heisse ist suis appelle est soy llamo es'.split(' '));

/**
 * The words of a text that call people by name: the addressee after a greeting or between commas, the sender at the end or where they
 * say who they are. The same word anywhere else says something: a person may be called Grace or Offer.
 */
export function calledNames(
  text: string,
  tokens: readonly Token[],
  names: { addressee: ReadonlySet<string>; sender: ReadonlySet<string> },
  words: WordSets,
): ReadonlySet<Token> {
  const greets = (run: Run): boolean => isGreeted(run, words) || isVocative(run, text);
  const signs = (run: Run): boolean =>
    run.after.length === 0 || INTRODUCES.has(run.before.at(-1)?.folded ?? '') || isVocative(run, text);
  return new Set([
    ...runsOf(tokens, names.addressee).flatMap((run) => (greets(run) ? run.tokens : [])),
    ...runsOf(tokens, names.sender).flatMap((run) => (signs(run) ? run.tokens : [])),
  ]);
}

/** Words of a name in a row, with what its clause has before and after it. */
interface Run {
  tokens: readonly Token[];
  before: readonly Token[];
  after: readonly Token[];
}

function runsOf(tokens: readonly Token[], names: ReadonlySet<string>): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < tokens.length; at++) {
    let end = at;
    const { clause } = tokens[at] ?? { clause: -1 };
    while (tokens[end]?.clause === clause && names.has(tokens[end]?.folded ?? '')) end++;
    const run = tokens.slice(at, end);
    const [first] = run;
    // A name has a capital, where its letters know capitals.
    if (!first || /^\p{Ll}/u.test(first.text)) continue;
    const ofClause = tokens.filter((token) => token.clause === clause);
    runs.push({
      tokens: run,
      before: ofClause.filter((token) => token.to <= first.from),
      after: ofClause.filter((token) => token.from >= (run.at(-1)?.to ?? 0)),
    });
    at = end;
  }
  return runs;
}

/** "Hi Ada", "Guten Tag Dora". */
function isGreeted({ before }: Run, words: WordSets): boolean {
  const [greeting, more] = before;
  if (!greeting || before.length > 2 || !words.greetings.has(greeting.folded)) return false;
  return more === undefined || (words.plain.has(more.folded) && !words.ourselves.has(more.folded));
}

/** "Ada, …", "Thanks, Ada." */
function isVocative({ tokens, before, after }: Run, text: string): boolean {
  const [from, to] = [tokens[0]?.from ?? 0, tokens.at(-1)?.to ?? 0];
  const opens = before.length === 0 || /,\s*$/.test(text.slice(0, from));
  return opens && (after.length === 0 || /^\s*,/.test(text.slice(to)));
}
