import { sameWord, type Token, type Tokenized } from './text-tokens.ts';
import type { WordSets } from './words/words-of.ts';
import type { WritingFact } from './writing-fact.ts';

interface Range {
  from: number;
  to: number;
}

/**
 * Words of a fact that a text sets the other way round: who bought whom, who led what, a president of a vice president. A name stands
 * on the same side of what it did as in the fact, or on the other one where "by" turns that round; places may stand anywhere.
 */
export function turnedRelations(
  tokens: readonly Token[],
  facts: readonly Tokenized<WritingFact>[],
  words: WordSets,
): Range[] {
  return [
    ...facts.flatMap(({ tokens: known }) => [
      ...lostQualifiers(tokens, known, words),
      ...otherSides(tokens, known, words),
    ]),
    ...otherDoers(tokens, facts, words),
    ...otherEmployers(tokens, facts, words),
  ];
}

/** What may have been done, as far as its form tells: a sign of a currency is nothing that somebody did. */
function isDeed({ capital, number, folded }: Token, words: WordSets): boolean {
  return !(capital || number || words.plain.has(folded)) && /\p{L}/u.test(folded);
}

/** "Bolt raised", where the fact says that Globex did: who stands before a deed stands in a fact that tells it. */
function otherDoers(
  tokens: readonly Token[],
  facts: readonly { tokens: readonly Token[] }[],
  words: WordSets,
): Range[] {
  const same = (a: Token | undefined, b: Token): boolean => !!a && sameWord(a.folded, b.folded, words.language);
  return tokens.flatMap((did, at) => {
    if (!isDeed(did, words)) return [];
    // "Bolt raised", "Bolt has raised".
    const before = tokens[at - 1];
    const name = before && words.plain.has(before.folded) && !before.capital ? tokens[at - 2] : before;
    if (!name?.capital || name.clause !== did.clause || words.plain.has(name.folded)) return [];
    const telling = facts.filter(({ tokens: known }) => known.some((one) => !one.capital && same(one, did)));
    const named = telling.filter(({ tokens: known }) => known.some((_, place) => doer(known, place, did, same)));
    const fits = telling.some((fact) => !named.includes(fact) || fact.tokens.some((one) => same(one, name)));
    return telling.length === 0 || fits ? [] : [{ from: name.from, to: did.to }];
  });
}

/** Whether a name stands right before the deed in a fact. */
function doer(
  known: readonly Token[],
  place: number,
  did: Token,
  same: (a: Token | undefined, b: Token) => boolean,
): boolean {
  return known[place]?.capital === true && [1, 2].some((step) => same(known[place + step], did));
}

/** Words whose qualifier was left out: "president" of "vice president". */
function lostQualifiers(tokens: readonly Token[], known: readonly Token[], words: WordSets): Range[] {
  const found: Range[] = [];
  known.forEach((qualifier, place) => {
    if (!words.qualifiers.has(qualifier.folded)) return;
    if (tokens.some((token) => token.folded === qualifier.folded)) return;
    const qualified = known.slice(place + 1, place + 3).filter((token) => !words.plain.has(token.folded));
    const bare = tokens.find((token) => qualified.some((one) => sameWord(one.folded, token.folded, words.language)));
    if (bare) found.push({ from: bare.from, to: bare.to });
  });
  return found;
}

function otherSides(tokens: readonly Token[], known: readonly Token[], words: WordSets): Range[] {
  const isName = (list: readonly Token[], at: number): boolean => {
    const token = list[at];
    // A place after its preposition stands wherever it likes.
    return token?.capital === true && !words.plain.has(token.folded) && !precededBy(list, at, words.prepositions);
  };
  const deeds = tokens.filter((token) => isDeed(token, words));
  return deeds.flatMap((did) => {
    const names = tokens.flatMap((name, index) =>
      name.clause === did.clause && (isName(tokens, index) || byName(tokens, index, words)) ? [{ name, index }] : [],
    );
    return againstFact(did, names, { tokens, known, words, isName }).map((name) => ({
      from: Math.min(name.from, did.from),
      to: Math.max(name.to, did.to),
    }));
  });
}

interface Sides {
  tokens: readonly Token[];
  known: readonly Token[];
  words: WordSets;
  isName: (list: readonly Token[], at: number) => boolean;
}

/** Names that stand on another side of a deed than the fact has them. */
function againstFact(did: Token, names: readonly { name: Token; index: number }[], sides: Sides): readonly Token[] {
  const { tokens, known, words, isName } = sides;
  const same = (a: Token, b: Token): boolean => sameWord(a.folded, b.folded, words.language);
  const at = tokens.indexOf(did);
  const place = known.findIndex((token) => !token.capital && same(token, did));
  if (place < 0) return [];
  const passiveInFact = known[place + 1]?.folded === words.by;
  const passive = tokens[at + 1]?.folded === words.by;
  if (passiveInFact && !passive) {
    // "Led by Northgate": who stands before "led" is Northgate.
    const before = names.findLast(({ index }) => index < at);
    return before && !inRun(known, place + 2, before.name, same) ? [before.name] : [];
  }
  if (![-2, -1, 1, 2].some((step) => isName(known, place + step))) return [];
  return names.flatMap(({ name, index }) => {
    const inFact = known.findIndex(
      (token, other) => same(token, name) && (isName(known, other) || byName(known, other, words)),
    );
    const sameSide = index < at === inFact < place;
    return inFact >= 0 && sameSide === (passive !== passiveInFact) ? [name] : [];
  });
}

/** Whether a name is one of the capitals that stand in a row from a place on. */
function inRun(known: readonly Token[], from: number, name: Token, same: (a: Token, b: Token) => boolean): boolean {
  for (let at = from; known[at]?.capital; at++) {
    const token = known[at];
    if (token && same(token, name)) return true;
  }
  return false;
}

function byName(list: readonly Token[], at: number, words: WordSets): boolean {
  return list[at - 1]?.folded === words.by;
}

/** Whether the run of capitals that ends here follows one of these words. */
function precededBy(list: readonly Token[], at: number, before: ReadonlySet<string>): boolean {
  let first = at;
  while (list[first - 1]?.capital) first--;
  return before.has(list[first - 1]?.folded ?? '');
}

const EMPLOYS = new Set(['at', 'bei', 'chez', 'en', 'of', 'von', 'de']);

/** "VP of Sales at Bolt", where the record says at whom: names after a title are those of the employer, or stand in one fact with it. */
function otherEmployers(
  tokens: readonly Token[],
  facts: readonly { source: string; tokens: readonly Token[] }[],
  words: WordSets,
): Range[] {
  const same = (known: readonly Token[], token: Token | undefined): boolean =>
    token !== undefined && known.some((one) => sameWord(one.folded, token.folded, words.language));
  const titles = facts.filter(({ source }) => source === 'lead:title');
  return tokens.flatMap((name, at) => {
    const [title, at1] = [tokens[at - 2], tokens[at - 1]];
    if (!name.capital || words.plain.has(name.folded) || !at1 || !EMPLOYS.has(at1.folded)) return [];
    if (!title || words.plain.has(title.folded) || !titles.some((fact) => same(fact.tokens, title))) return [];
    const fits = facts.some(
      ({ source, tokens: known }) => same(known, name) && (source === 'lead:company' || same(known, title)),
    );
    return fits ? [] : [{ from: name.from, to: name.to }];
  });
}
