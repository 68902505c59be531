/** Characters of a text that are looked through, and of one sentence. */
const MOST_TEXT = 100_000;
const MOST_SENTENCE = 600;

/**
 * Sentences and headlines of a text, each as it stands there: a sentence that is kept as evidence is a part of its source. Numbers and
 * common abbreviations with a dot end none.
 */
export function sentencesOf(text: string): string[] {
  const parts: string[] = [];
  for (const line of text.slice(0, MOST_TEXT).split('\n')) {
    let from = 0;
    for (const end of line.matchAll(/[.!?…](?=["'”’)]*\s+["'“‘(]?[\p{Lu}\p{N}])/gu)) {
      if (endsNone(line.slice(from, end.index))) continue;
      parts.push(line.slice(from, end.index + 1));
      from = end.index + 1;
    }
    parts.push(line.slice(from));
  }
  return parts.map((part) => part.trim().slice(0, MOST_SENTENCE)).filter((part) => part !== '');
}

/** Words after which a dot ends no sentence: `Mio. Euro`, `Acme Inc. raises`, `J. Doe`. */
function endsNone(before: string): boolean {
  return /(?:^|[\s(])(?:mio|mrd|mill|inc|corp|co|ltd|st|dr|mr|mrs|no|nr|ca|bzw|rund|approx|u\.s|\p{Lu})$/iu.test(before)
    ? !/\p{L}{5,}$/u.test(before)
    : false;
}
