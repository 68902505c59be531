import { calledNames } from './called-names.ts';
import { type Coverage, coverageOf, type Own } from './claim-coverage.ts';
import { contactsIn } from './contacts-in.ts';
import { lostNegations } from './lost-negations.ts';
import { earlierContacts, hearsay, recencies } from './phrase-claims.ts';
import { quotesIn } from './quotes-in.ts';
import { asksByClause, type Token, type Tokenized, tokenized, tokensOf } from './text-tokens.ts';
import { turnedRelations } from './turned-relations.ts';
import type { WritingLanguage } from './words/language-words.ts';
import { type WordSets, wordsOf } from './words/words-of.ts';
import type { Segment, WritingFact } from './writing-fact.ts';

/** A part of a text that nothing covers. */
export interface Finding {
  /** `promise`: the house says it of itself, and neither the playbook nor the conversation does. */
  code: 'unsourced_claim' | 'promise';
  text: string;
  /** Index of the segment, and places in its text. */
  segment: number;
  from: number;
  to: number;
}

/** What a text is judged by. */
export interface Judging {
  language: WritingLanguage;
  facts: readonly WritingFact[];
  own: Own;
  /** `person`: each word counts; `prose`: only hard claims do (numbers, names, quotes, addresses), as in a post about a topic. */
  mode: 'person' | 'prose';
  /** Epoch ms, product time. */
  now: number;
}

interface Range {
  from: number;
  to: number;
}

/**
 * What a text says that nothing covers. Each word of a segment has to stand in a fact that the segment cites, in what the house says
 * of itself, or in the list of words that claim nothing. Pure: the same text gives the same findings. An unknown id cites nothing.
 */
export function checkClaims(segments: readonly Segment[], judging: Judging): readonly Finding[] {
  const words = wordsOf(judging.language);
  const cited = new Set(segments.flatMap(({ factIds }) => factIds));
  const facts = judging.facts.filter(({ id }) => cited.has(id)).map(tokenized);
  const record = { ...judging, facts, own: tokenized(judging.own) };
  return segments.flatMap((segment, index) =>
    checkSegment(segment, record, words).map((found) => ({
      ...found,
      segment: index,
      text: segment.text.slice(found.from, found.to),
    })),
  );
}

/** What a text is judged by, with the tokens of what is on record. */
interface TokenizedJudging extends Judging {
  facts: readonly Tokenized<WritingFact>[];
  own: Tokenized<Own>;
}

function checkSegment(
  segment: Segment,
  judging: TokenizedJudging,
  words: WordSets,
): (Range & { code: Finding['code'] })[] {
  const { text, factIds } = segment;
  const cited = judging.facts.filter((fact) => factIds.includes(fact.id));
  const tokens = tokensOf(text);
  const coverage = coverageOf(cited, judging.own, words, tokens);
  const asks = asksByClause(text);
  const contacts = contactsIn(text, judging.own, cited);
  const quotes = quotesIn(text, cited, judging.own);
  const times = recencies(tokens, cited, words, judging.now);
  const met = earlierContacts(tokens, cited, words);
  const called = calledNames(text, tokens, coverage.names, words);
  const settled = [...contacts.covered, ...quotes.covered, ...times.covered, ...met.covered];
  const spoken = tokens.filter((token) => !called.has(token) && !settled.some((range) => within(token, range)));
  const bare = spoken.filter((token) => !isCovered(token, tokens, { coverage, words, asks, mode: judging.mode }));
  const heard = judging.mode === 'person' ? hearsay(tokens, cited, words) : [];
  const denied = judging.mode === 'person' ? lostNegations(tokens, cited, words, { text, asks }) : [];
  const turned = judging.mode === 'person' ? turnedRelations(tokens, cited, words) : [];
  const code =
    cited.length === 0 && tokens.some((token) => words.ourselves.has(token.folded)) ? 'promise' : 'unsourced_claim';
  const ranges = [
    ...contacts.bare,
    ...quotes.bare,
    ...times.bare,
    ...met.bare,
    ...heard,
    ...denied,
    ...turned,
    ...bare,
  ];
  return merged(ranges, text).map(({ from, to }) => ({ code, from, to }));
}

interface Context {
  coverage: Coverage;
  words: WordSets;
  asks: (clause: number) => boolean;
  mode: Judging['mode'];
}

function isCovered(token: Token, tokens: readonly Token[], context: Context): boolean {
  const { coverage, words, asks, mode } = context;
  const asking = asks(token.clause);
  const clause = tokens.filter((one) => one.clause === token.clause);
  const counting = {
    asking,
    own: (asking || !aboutThem(clause, coverage, words)) && !saidOfThem(clause, token, asking, words),
    theirs: !aboutUs(clause, token, words),
  };
  if (token.number) return coverage.number(tokens.indexOf(token), counting);
  if (coverage.word(token, counting)) return true;
  if (words.plain.has(token.folded) && !nameLike(token, words)) return true;
  if (asking && words.time.has(token.folded)) return true;
  // "I would love to" says nothing, "you love" does; "in the new year" is a time, "a new office" is news.
  const [before, after] = [tokens[tokens.indexOf(token) - 1], tokens[tokens.indexOf(token) + 1]];
  if (token.folded === 'love' && WOULD.has(before?.folded ?? '')) return true;
  if (asking && token.folded === 'new' && after?.folded === 'year') return true;
  return mode === 'prose' && !isHard(token, tokens[tokens.indexOf(token) - 1], words);
}

const WOULD = new Set(['would', 'd']);

/** A plain word with a capital within a clause is a name: Will, Mark, Grace. */
function nameLike(token: Token, words: WordSets): boolean {
  if (!token.capital || token.starts || token.text.length <= 2) return false;
  return !words.nouns.has(token.folded) && !words.greetings.has(token.folded);
}

/** What even prose needs a source for: amounts, and what is written as a name. */
function isHard(token: Token, before: Token | undefined, words: WordSets): boolean {
  if (words.numbers.has(token.folded) || /[%€$£]/.test(token.text)) return true;
  if (/\d|\p{Ll}\p{Lu}/u.test(token.text) || /^\p{Lu}{2,}$/u.test(token.text)) return true;
  if (!token.capital) return words.congratulates.has(token.folded) || words.months.includes(token.folded);
  const afterName = before?.capital === true && before.clause === token.clause;
  if (words.language === 'de') return afterName && !words.plain.has(before.folded);
  return !token.starts || afterName;
}

/** Whether a clause states something of the person or of a name on record: then what the house says of itself covers nothing. */
function aboutThem(clause: readonly Token[], coverage: Coverage, words: WordSets): boolean {
  const first = clause.find((token) => !words.greetings.has(token.folded) && !coverage.isAddressee(token));
  if (!first) return false;
  return THEM[words.language].has(first.folded) || (first.capital && coverage.isOnlyTheirs(first));
}

/**
 * Whether a word says something of the person because "you" is the last one named before it: "since you cut churn by 40 percent". Whom
 * the house does something for ("we help you cut churn"), and a question that invites ("would you have 15 minutes?"), state nothing.
 */
function saidOfThem(clause: readonly Token[], token: Token, asking: boolean, words: WordSets): boolean {
  const { language, ourselves, greetings } = words;
  const before = clause.filter((one) => one.from < token.from);
  const at = before.findLastIndex(({ folded }) => YOU[language].has(folded) || ourselves.has(folded));
  const named = before[at];
  if (!named || !YOU[language].has(named.folded)) return false;
  const [verb] = clause.filter(({ folded }) => !greetings.has(folded));
  if (asking && verb && INVITES[language].has(verb.folded)) return false;
  const governs = before[at - 1]?.folded ?? '';
  return !(ourselves.has(governs) || GIVES[language].has(governs));
}

/** Words for the person of the letter as the one who does something, or has it. */
const YOU: Readonly<Record<WritingLanguage, ReadonlySet<string>>> = {
  en: new Set(['you', 'your']),
  de: new Set(['sie', 'ihr', 'ihre', 'ihren', 'ihrem', 'ihrer', 'du', 'dein', 'deine']),
  fr: new Set(['vous', 'votre', 'vos', 'tu', 'ton', 'ta', 'tes']),
  es: new Set(['usted', 'ustedes', 'su', 'sus', 'tu', 'tus']),
};

/** Words before "you" after which it is the one for whom something is done. */
const GIVES: Readonly<Record<WritingLanguage, ReadonlySet<string>>> = {
  en: new Set('help helps helping let get give gives show send offer save cost costs for to with'.split(' ')),
  de: new Set('helfen hilft unterstutzen zeigen senden bieten fur mit bei zu'.split(' ')),
  fr: new Set('aider aidons aide montrer envoyer offrir pour avec a'.split(' ')),
  es: new Set('ayudar ayudamos ayuda mostrar enviar ofrecer para con a'.split(' ')),
};

/** Words with which a question begins that asks for what is not so yet. */
const INVITES: Readonly<Record<WritingLanguage, ReadonlySet<string>>> = {
  en: new Set('would could can may might shall should will'.split(' ')),
  de: new Set('waren wurden hatten konnten konnen durfen darf kann haben passen passt mochten wollen'.split(' ')),
  fr: new Set('seriez auriez pourriez pourrions puis peut voulez aimeriez souhaitez avez'.split(' ')),
  es: new Set('podria podriamos puedo podemos tendria seria estaria quiere querria le les tiene'.split(' ')),
};

/** Whether a word says something of the house: then words of others do not cover it, unless the clause tells that we saw or heard them. */
function aboutUs(clause: readonly Token[], token: Token, words: WordSets): boolean {
  const us = clause.find(({ folded }) => words.ourselves.has(folded));
  return us !== undefined && us.from < token.from && !clause.some(({ folded }) => words.perceives.has(folded));
}

const THEM: Readonly<Record<WritingLanguage, ReadonlySet<string>>> = {
  en: new Set(['you', 'your', 'they', 'their', 'he', 'she']),
  de: new Set(['sie', 'ihr', 'ihre', 'du', 'dein', 'deine', 'er']),
  fr: new Set(['vous', 'votre', 'vos', 'tu', 'ton', 'ta', 'il', 'elle', 'ils', 'elles']),
  es: new Set(['usted', 'ustedes', 'su', 'sus', 'tu', 'tus', 'el', 'ella', 'ellos']),
};
function within(token: Range, range: Range): boolean {
  return token.from >= range.from && token.to <= range.to;
}

/** Ranges in order, those that touch as one. */
function merged(ranges: readonly Range[], text: string): Range[] {
  const joined: Range[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = joined.at(-1);
    if (last && (range.from <= last.to || /^[\s'’&-]*$/.test(text.slice(last.to, range.from)))) {
      last.to = Math.max(last.to, range.to);
    } else joined.push({ from: range.from, to: range.to });
  }
  return joined;
}
