/** A part of a text: in both, in the new one alone, in the old one alone. */
export interface DiffPart {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Words of the two texts that are compared at most: a table of both, in memory. */
const MOST_CELLS = 4_000_000;

/** How a text became another one, word by word. */
export function wordDiff(before: string, after: string): DiffPart[] {
  const old = wordsOf(before);
  const now = wordsOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const shorter = Math.min(old.length, now.length) - start;
  while (end < shorter && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const middle = middleOf(old.slice(start, old.length - end), now.slice(start, now.length - end));
  return merged([
    ...now.slice(0, start).map((text): DiffPart => ({ kind: 'same', text })),
    ...middle,
    ...now.slice(now.length - end).map((text): DiffPart => ({ kind: 'same', text })),
  ]);
}

/** Words, spaces and marks, each by itself. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}'’_]+|\s+|[^\p{L}\p{N}\p{M}'’_\s]/gu) ?? [];
}

function middleOf(old: readonly string[], now: readonly string[]): DiffPart[] {
  const all = (words: readonly string[], kind: DiffPart['kind']): DiffPart[] => words.map((text) => ({ kind, text }));
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
