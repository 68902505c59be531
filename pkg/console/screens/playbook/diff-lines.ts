import { partsOf } from '../../parts/word-diff.ts';

/** A line of two texts beside each other. */
export interface DiffLine {
  kind: 'same' | 'gone' | 'new';
  text: string;
}

const KINDS = { same: 'same', removed: 'gone', added: 'new' } as const;

/** What was taken out of a text and what came in, line by line: the fewest lines that explain it. */
export function diffLines(before: string, after: string): DiffLine[] {
  return partsOf(before.split('\n'), after.split('\n')).map(({ kind, text }) => ({ kind: KINDS[kind], text }));
}
