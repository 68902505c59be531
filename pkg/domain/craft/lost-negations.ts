import { sameWord, type Token, type Tokenized } from './text-tokens.ts';
import type { WordSets } from './words/words-of.ts';
import type { WritingFact } from './writing-fact.ts';

/** Words that deny, folded, in the languages that are written; the t is that of "don't". */
const DENIES: Readonly<Record<WordSets['language'], ReadonlySet<string>>> = {
  en: new Set('not t cannot no never without neither nor none nobody'.split(' ')),
  de: new Set('nicht kein keine keinen keinem keiner nie niemals ohne weder'.split(' ')),
  fr: new Set('ne n pas jamais sans aucun aucune ni'.split(' ')),
  es: new Set('no nunca jamas sin ningun ninguna ninguno ni tampoco'.split(' ')),
};
/** Names of things deny nothing: what is said of them may. */
const FIELDS = /^(?:lead:(?!headline)|caller:|calendar:)/;
/** As many words after a denial, and before it, are denied in a fact; in a text only the next ones surely are. */
const [AFTER, BEFORE, NEXT] = [3, 2, 2];

/**
 * Words of a fact that a text says without its denial, or denies where the fact does not: "you will renew" of "we will not renew".
 * A clause denies what its fact denies; questions state nothing.
 */
export function lostNegations(
  tokens: readonly Token[],
  cited: readonly Tokenized<WritingFact>[],
  words: WordSets,
  { text, asks }: { text: string; asks: (clause: number) => boolean },
): readonly { from: number; to: number }[] {
  const said = clausesOf(text, tokens, words).filter(({ tokens: [first] }) => first && !asks(first.clause));
  const told = cited
    .filter(({ source }) => !FIELDS.test(source))
    .flatMap((fact) => clausesOf(fact.text, fact.tokens, words));
  const same = (token: Token) => (other: Token) => sameWord(token.folded, other.folded, words.language);
  const tells = (token: Token): Clause[] => told.filter((clause) => clause.tokens.some(same(token)));
  const bare = said.flatMap((clause) => {
    const solid = clause.tokens.filter((token) => !words.plain.has(token.folded));
    if (!clause.denies) {
      // All that tells of it denies it.
      return solid.filter(
        (token) => tells(token).length > 0 && tells(token).every(({ wide }) => wide.some(same(token))),
      );
    }
    return solid.filter(
      (token) => clause.narrow.includes(token) && tells(token).length > 0 && !tells(token).some(({ denies }) => denies),
    );
  });
  return bare.map(({ from, to }) => ({ from, to }));
}

interface Clause {
  tokens: readonly Token[];
  denies: boolean;
  /** Words that a denial may reach, and those that it surely reaches. */
  wide: readonly Token[];
  narrow: readonly Token[];
}

function clausesOf(text: string, tokens: readonly Token[], { language }: WordSets): Clause[] {
  return [...new Set(tokens.map(({ clause }) => clause))].map((index) => {
    const own = tokens.filter(({ clause }) => clause === index);
    // "No, we use it": an answer denies nothing of what follows.
    const denials = own.flatMap(({ folded, to }, at) =>
      DENIES[language].has(folded) && !/^\s*,/.test(text.slice(to)) ? [at] : [],
    );
    return {
      tokens: own,
      denies: denials.length > 0,
      wide: denials.flatMap((at) => own.slice(Math.max(0, at - BEFORE), at + 1 + AFTER)),
      narrow: denials.flatMap((at) => own.slice(at + 1, at + 1 + NEXT)),
    };
  });
}
