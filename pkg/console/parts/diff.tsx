import { wordDiff } from './word-diff.ts';

/** How a text became another one: what went is struck through, what came is underlined. */
export function Diff({ before, after }: { before: string; after: string }) {
  return (
    <div class="diff pre">
      {wordDiff(before, after).map(({ kind, text }) => {
        if (kind === 'same') return text;
        if (kind === 'removed') return <del>{text}</del>;
        return <ins>{text}</ins>;
      })}
    </div>
  );
}
