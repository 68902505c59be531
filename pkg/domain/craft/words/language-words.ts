/** The languages whose texts can be judged: for others there are no lists of words that claim nothing. */
export const WRITING_LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
export type WritingLanguage = (typeof WRITING_LANGUAGES)[number];

/** How long ago a phrase like "last week" says that something was. */
export type Recency =
  | 'yesterday'
  | 'last week'
  | 'this week'
  | 'last month'
  | 'this month'
  | 'last year'
  | 'this year'
  | 'lately';

/** Word lists of a language, all folded (lower case, no accents), separated by blanks. */
export interface LanguageWords {
  /** Words that claim nothing, said of anybody by anybody. */
  plain: string;
  /** Those of them that are written with a capital within a sentence. */
  nouns: string;
  /** Words that a question may use ("next week?", "how do you handle …?"), and a statement may not. */
  time: string;
  /** Words for amounts. */
  numbers: string;
  /** January to December. */
  months: string;
  /** Phrases for the time of something that happened. */
  recent: readonly (readonly [phrase: string, meaning: Recency])[];
  /** Only for something that happened. */
  congratulates: string;
  /** Only with a change of jobs. */
  newRole: string;
  /** Only with a post. */
  posted: string;
  /** Only with what the person wrote to us. */
  conversed: string;
  /** Phrases that speak of an earlier contact. */
  earlierContact: RegExp;
  /** Phrases that tell what others say or do with us: only with what the person wrote to us. */
  hearsay: RegExp;
  /** Words by which the house speaks of itself. */
  ourselves: string;
  /** Words for having seen or heard what others say: what follows is theirs. */
  perceives: string;
  greetings: string;
  /** The word before who did something ("led by Northgate"). */
  by: string;
  /** Words before names of places, which may stand anywhere in a sentence. */
  prepositions: string;
  /** What makes another title of a title: a vice president is no president. */
  qualifiers: string;
}
