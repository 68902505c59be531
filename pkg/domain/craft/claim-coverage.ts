import { sameStem, sameWord, type Token, type Tokenized, tokensOf } from './text-tokens.ts';
import { WRITING_LANGUAGES } from './words/language-words.ts';
import type { WordSets } from './words/words-of.ts';
import { wordsOf } from './words/words-of.ts';
import type { WritingFact } from './writing-fact.ts';

/** What the house may say without a fact about the person. */
export interface Own {
  /** Playbook, persona and wishes of the caller, as one text. */
  text: string;
  /** Names by which the addressee is greeted, and those of the sender. */
  addressee: readonly string[];
  sender: readonly string[];
}

/** What counts in the clause of a word. */
export interface Counting {
  /** What the house says of itself. */
  own: boolean;
  /** What others say in their own words (headlines, posts, messages): never of us. */
  theirs: boolean;
  asking: boolean;
}

/** What covers words of a segment. */
export interface Coverage {
  word(token: Token, counting: Counting): boolean;
  /** A number counts with what it counts: 15 minutes cover no 15 offices. */
  number(at: number, counting: Counting): boolean;
  isAddressee(token: Token): boolean;
  /** Words of the names by which people are called here, folded. */
  names: { addressee: ReadonlySet<string>; sender: ReadonlySet<string> };
  /** Whether a word stands in a cited fact and not in what the house says of itself. */
  isOnlyTheirs(token: Token): boolean;
}

/** Kinds of news of which something has happened: what is said of it may change its tense. */
const HAPPENED = new Set(['signal:job_change', 'signal:funding_round', 'signal:headcount_growth']);
/** What the caller said, which is the house's own. */
const CALLERS = new Set(['caller:topic', 'calendar:slots']);
/** Fields of the record that are names, and those that are phrases: what we are or do stands in none of them. */
const NAMES = new Set(['lead:company', 'lead:location']);
const PHRASES = new Set(['lead:title', 'lead:industry']);
/** Words before a phrase that names what somebody is. */
const AS = new Set('as als comme como your ihre ihr votre su bereich branche secteur sector'.split(' '));
/** Words between such a word and the phrase: "to the VP of Sales". */
const ARTICLES = new Set(
  'a an the der die das den dem ein eine einen einem einer le la les un une el los las una'.split(' '),
);
const POSTS = new Set(['signal:new_post', 'post:text']);

/** What the cited facts and the house's own words cover. @param tokens of the segment */
export function coverageOf(
  cited: readonly Tokenized<WritingFact>[],
  own: Tokenized<Own>,
  words: WordSets,
  tokens: readonly Token[],
): Coverage {
  const { language } = words;
  const wordsOfNames = (names: readonly string[]): ReadonlySet<string> =>
    new Set(names.flatMap((name) => tokensOf(name)).map(({ folded }) => folded));
  const addressee = wordsOfNames(own.addressee);
  const has = (source: ReadonlySet<string>): boolean => cited.some((fact) => source.has(fact.source));
  const stands = (tokens: readonly Token[], token: Token): boolean =>
    tokens.some((known) => !known.number && sameWord(known.folded, token.folded, language));
  const inFacts = (token: Token): boolean => cited.some((fact) => stands(fact.tokens, token));
  const inOwn = (token: Token): boolean => stands(own.tokens, token);
  const withGrants = grantsOf(has, words);
  const times = new Set(cited.flatMap((fact) => monthsOf(fact)));
  const named = new Set(cited.flatMap((fact) => (PHRASES.has(fact.source) ? placed(fact.tokens, tokens, words) : [])));
  // After "we", a name is still a name, and "people in industrial automation" are; "a refund" is no Refund Manager.
  const counts = ({ source }: WritingFact, token: Token | undefined, { theirs }: Counting): boolean => {
    if (theirs || CALLERS.has(source)) return true;
    if (!token) return false;
    return NAMES.has(source) ? !/^\p{Ll}/u.test(token.text) : PHRASES.has(source) && named.has(token);
  };
  return {
    word: (token, counting) =>
      cited.some((fact) => counts(fact, token, counting) && stands(fact.tokens, token)) ||
      (counting.own && inOwn(token)) ||
      withGrants.has(token.folded) ||
      times.has(token.folded) ||
      isShortForm(token, cited) ||
      cited.some(
        (fact) =>
          counts(fact, token, counting) &&
          (counting.asking || HAPPENED.has(fact.source)) &&
          fact.tokens.some((known) => sameStem(known.folded, token.folded)),
      ),
    number: (at, counting) =>
      isYear(tokens[at], cited) ||
      cited.some((fact) => counts(fact, tokens[at], counting) && counted(fact.tokens, tokens, at, words)) ||
      (counting.own && counted(own.tokens, tokens, at, words)),
    names: { addressee, sender: wordsOfNames(own.sender) },
    isAddressee: (token) => addressee.has(token.folded),
    isOnlyTheirs: (token) => inFacts(token) && !inOwn(token) && !words.plain.has(token.folded),
  };
}

/** Words that need a fact of a certain kind, where one is cited. */
function grantsOf(has: (sources: ReadonlySet<string>) => boolean, words: WordSets): ReadonlySet<string> {
  return new Set([
    ...(has(HAPPENED) ? words.congratulates : []),
    ...(has(new Set(['signal:job_change'])) ? words.newRole : []),
    ...(has(POSTS) ? words.posted : []),
    ...(has(new Set(['conversation:in'])) ? words.conversed : []),
  ]);
}

/** Words of a segment that are a whole phrase after "as", "in" and the like. */
function placed(phrase: readonly Token[], tokens: readonly Token[], words: WordSets): readonly Token[] {
  return tokens.flatMap(({ folded }, at) => {
    const begins = ARTICLES.has(tokens[at + 1]?.folded ?? '') ? at + 2 : at + 1;
    const said = tokens.slice(begins, begins + phrase.length);
    const whole = said.length > 0 && phrase.every((one, index) => one.folded === said[index]?.folded);
    return whole && (AS.has(folded) || words.prepositions.has(folded)) ? said : [];
  });
}

/** The month in which a fact happened, in each language. */
function monthsOf({ at }: WritingFact): string[] {
  if (at === null) return [];
  const month = new Date(at).getUTCMonth();
  return WRITING_LANGUAGES.map((language) => wordsOf(language).months[month] ?? '');
}

function isYear(token: Token | undefined, cited: readonly WritingFact[]): boolean {
  return cited.some((fact) => fact.at !== null && String(new Date(fact.at).getUTCFullYear()) === token?.folded);
}

/** Whether a source has the number, with the same word before or after it. */
function counted(source: readonly Token[], tokens: readonly Token[], at: number, { language }: WordSets): boolean {
  const token = tokens[at];
  const same = (a: Token | undefined, b: Token | undefined): boolean =>
    a !== undefined && b !== undefined && sameWord(a.folded, b.folded, language);
  return source.some(
    (known, place) =>
      known.number &&
      known.folded === token?.folded &&
      (same(source[place + 1], tokens[at + 1]) || same(source[place - 1], tokens[at - 1])),
  );
}

/** Whether a word is made of the capitals of a fact: CFO of Chief Financial Officer. */
function isShortForm(token: Token, cited: readonly WritingFact[]): boolean {
  if (!/^\p{Lu}{2,5}$/u.test(token.text)) return false;
  return cited.some(
    ({ source, text }) => source === 'lead:title' && (text.match(/\b\p{Lu}/gu) ?? []).join('') === token.text,
  );
}
