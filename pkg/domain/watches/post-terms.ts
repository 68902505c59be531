import { foldings } from '../fold-text.ts';

/** Terms of a post that count at most. */
const MOST_TERMS = 40;
const SHORTEST = 4;

/** Words that say nothing of a topic, in the languages that posts are mostly written in. */
const EMPTY: ReadonlySet<string> = new Set(
  `about after again also been before being between both came come could does doing done down each even ever every from
  have having here into just know like made make many more most much must need never only other over really same should
  some such than that their them then there these they thing things this those through time very want well were what when
  where which while will with without work would year years your yours auch aber alle alles dann denn dass dein dich diese
  dieser dieses durch eine einem einen einer eines haben hier ihre immer kann mehr mein mich nach nicht noch oder ohne sein
  seine sich sind unser unter viel vom wenn werden wieder wird avec cette comme dans depuis elle entre etre fait leur mais
  meme nous pour quand sans tout tous tres vous https http linkedin`.split(/\s+/),
);

/** The terms of a post, each once: its words of four letters and more, without accents, case and what is searched for anyway. */
export function postTerms(text: string, query: string): string[] {
  const asked = new Set(wordsOf(query));
  const terms = new Set(wordsOf(text).filter((word) => !EMPTY.has(word) && !asked.has(word)));
  return [...terms].slice(0, MOST_TERMS);
}

function wordsOf(text: string): string[] {
  return (foldings(text)[0] ?? '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= SHORTEST && !/^\d+$/.test(word) && word.length <= 40);
}
