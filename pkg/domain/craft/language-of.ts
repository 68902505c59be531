import { tokensOf } from './text-tokens.ts';
import { WRITING_LANGUAGES, type WritingLanguage } from './words/language-words.ts';
import { wordsOf } from './words/words-of.ts';

/** Shorter texts tell no language. */
const LEAST_LETTERS = 20;
const OTHER_SCRIPTS =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Devanagari}]/u;

/** The language of which most plain words are in a text; null: too short, or it is of none of them. */
export function languageOf(text: string): WritingLanguage | null {
  if ((text.match(/\p{L}/gu) ?? []).length < LEAST_LETTERS) return null;
  const words = tokensOf(text).filter(({ number }) => !number);
  const counts = WRITING_LANGUAGES.map((language) => {
    const { plain } = wordsOf(language);
    return { language, count: words.filter(({ folded }) => plain.has(folded)).length };
  }).sort((a, b) => b.count - a.count);
  const [first, second] = counts;
  if (!first || first.count * 4 < words.length || first.count === second?.count) return null;
  return first.language;
}

/** Whether a text is in another language than the asked one: another one of ours, or letters of another script. */
export function isOtherLanguage(text: string, asked: WritingLanguage): boolean {
  const found = languageOf(text);
  return (found !== null && found !== asked) || OTHER_SCRIPTS.test(text);
}
