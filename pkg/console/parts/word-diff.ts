/** A part of a text: in both, in the new one alone, in the old one alone. */
export interface DiffPart {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Cells of the table of both texts that is filled at most, in memory: longer ones are compared as wholes. */
const MOST_CELLS = 4_000_000;

/** How a text became another one, word by word. */
export function wordDiff(before: string, after: string): DiffPart[] {
  return merged(partsOf(wordsOf(before), wordsOf(after)));
}

/** Words, spaces and marks, each by itself. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}'’_]+|\s+|[^\p{L}\p{N}\p{M}'’_\s]/gu) ?? [];
}

/** What was taken out of a row of words (or lines) and what came in: the fewest that explain it, each by itself. */
export function partsOf(old: readonly string[], now: readonly string[]): DiffPart[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const shorter = Math.min(old.length, now.length) - start;
  while (end < shorter && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  return [
    ...all(now.slice(0, start), 'same'),
    ...middleOf(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...all(now.slice(now.length - end), 'same'),
  ];
}

function all(texts: readonly string[], kind: DiffPart['kind']): DiffPart[] {
  return texts.map((text) => ({ kind, text }));
}

function middleOf(old: readonly string[], now: readonly string[]): DiffPart[] {
  if (old.length * now.length > MOST_CELLS) return [...all(old, 'removed'), ...all(now, 'added')];
  const width = now.length + 1;
  /** Length of the longest sequence that both have from there on. */
  const longest = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = now.length - 1; column >= 0; column--)
      longest[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const parts: DiffPart[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length && column < now.length) {
    const [was = '', is = ''] = [old[row], now[column]];
    if (was === is) {
      parts.push({ kind: 'same', text: is });
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      parts.push({ kind: 'removed', text: was });
      row++;
    } else {
      parts.push({ kind: 'added', text: is });
      column++;
    }
  }
  return [...parts, ...all(old.slice(row), 'removed'), ...all(now.slice(column), 'added')];
}

function merged(parts: readonly DiffPart[]): DiffPart[] {
  const joined: DiffPart[] = [];
  for (const { kind, text } of parts) {
    const last = joined.at(-1);
    if (last?.kind === kind) last.text += text;
    else joined.push({ kind, text });
  }
  return joined;
}
