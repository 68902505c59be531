import type { ComponentChildren } from 'preact';

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent';

/** A word with a colour, which says nothing that the word does not. */
export function Chip({
  tone = 'plain',
  children,
  title,
}: {
  tone?: Tone;
  children: ComponentChildren;
  title?: string;
}) {
  return (
    <span class={`chip chip-${tone}`} title={title}>
      {children}
    </span>
  );
}

/** The first letters of a name. */
export function Avatar({ name }: { name: string }) {
  const words = name
    .trim()
    .split(/\s+/)
    .filter((word) => /^\p{L}/u.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return (
    <span class="avatar" aria-hidden="true">
      {letters.join('').toUpperCase() || '·'}
    </span>
  );
}
