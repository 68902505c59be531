/** A fact that a text states. */
export interface Fact {
  text: string;
  source: string;
  at: string | null;
  /** Sentences that state it. */
  segments?: string[] | undefined;
}

/** A part of a text, and the numbers (from 0) of the facts that it states. */
export interface Said {
  text: string;
  facts: readonly number[];
}

/** Cuts a text where its sentences state facts. Sentences that are not in it any more state nothing. */
export function saidIn(body: string, facts: readonly Fact[]): Said[] {
  const marks = facts.flatMap(({ segments = [] }, fact) =>
    segments.flatMap((segment) => {
      const found = placeOf(body, segment);
      return found === undefined ? [] : [{ ...found, fact }];
    }),
  );
  const cuts = [...new Set([0, body.length, ...marks.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((from, place) => {
    const to = cuts[place + 1] ?? body.length;
    const stated = marks.filter((mark) => mark.from <= from && mark.to >= to).map(({ fact }) => fact);
    return { text: body.slice(from, to), facts: [...new Set(stated)] };
  });
}

/** Facts that no sentence of the text states any more, though they name some. */
export function unsaid(body: string, { segments = [] }: Fact): boolean {
  return segments.length > 0 && !segments.some((segment) => placeOf(body, segment) !== undefined);
}

/** Line breaks of a text may be others than those of its sentence. */
function placeOf(body: string, segment: string): { from: number; to: number } | undefined {
  const words = segment.trim();
  if (words === '') return undefined;
  const from = body.indexOf(words);
  if (from >= 0) return { from, to: from + words.length };
  const pattern = words.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const found = new RegExp(pattern.join('\\s+')).exec(body);
  return found ? { from: found.index, to: found.index + found[0].length } : undefined;
}
