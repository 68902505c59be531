import { foldReply } from '../../fold-reply.ts';
import { type LanguageWords, WRITING_LANGUAGES, type WritingLanguage } from './language-words.ts';
import { GERMAN } from './words-de.ts';
import { ENGLISH } from './words-en.ts';
import { SPANISH } from './words-es.ts';
import { FRENCH } from './words-fr.ts';

const WORDS: Readonly<Record<WritingLanguage, LanguageWords>> = { en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH };

/** The lists of a language as sets of folded words. */
export interface WordSets extends Pick<LanguageWords, 'recent' | 'earlierContact' | 'hearsay'> {
  language: WritingLanguage;
  plain: ReadonlySet<string>;
  nouns: ReadonlySet<string>;
  time: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
  months: readonly string[];
  congratulates: ReadonlySet<string>;
  newRole: ReadonlySet<string>;
  posted: ReadonlySet<string>;
  conversed: ReadonlySet<string>;
  ourselves: ReadonlySet<string>;
  perceives: ReadonlySet<string>;
  greetings: ReadonlySet<string>;
  by: string;
  prepositions: ReadonlySet<string>;
  qualifiers: ReadonlySet<string>;
}

const known = new Map<WritingLanguage, WordSets>();

/** The word lists of a language. */
export function wordsOf(language: WritingLanguage): WordSets {
  const made = known.get(language) ?? setsOf(language);
  known.set(language, made);
  return made;
}

/** The language of a BCP 47 tag, where its texts can be judged: `de-AT` is German; null for any other. */
export function writingLanguage(tag: string): WritingLanguage | null {
  const [base = ''] = tag.toLowerCase().split(/[-_]/);
  return WRITING_LANGUAGES.find((language) => language === base) ?? null;
}

function setsOf(language: WritingLanguage): WordSets {
  const words = WORDS[language];
  const list = (text: string): string[] =>
    foldReply(text)
      .split(/\s+/)
      .filter((word) => word !== '');
  const set = (text: string): ReadonlySet<string> => new Set(list(text));
  return {
    language,
    recent: words.recent,
    earlierContact: words.earlierContact,
    hearsay: words.hearsay,
    plain: set(`${words.plain} ${words.nouns} ${words.greetings}`),
    nouns: set(words.nouns),
    time: set(words.time),
    numbers: set(words.numbers),
    months: list(words.months),
    congratulates: set(words.congratulates),
    newRole: set(words.newRole),
    posted: set(words.posted),
    conversed: set(words.conversed),
    ourselves: set(words.ourselves),
    perceives: set(words.perceives),
    greetings: set(words.greetings),
    by: words.by,
    prepositions: set(words.prepositions),
    qualifiers: set(words.qualifiers),
  };
}
