/** What a cell says: a value, perhaps with a note of what was left out of it, or why it is none. */
export type Reading<T> = { value: T; note: string | null } | { value: null; note: string };

/** A cell that has the form. */
export function read<T>(value: T, note: string | null = null): Reading<T> {
  return { value, note };
}

/** A cell that hasn't the form; the note ends a sentence that begins with the cell. */
export function unread(note: string): { value: null; note: string } {
  return { value: null, note };
}

const UNSEEN = /(?:[\p{Cc}\p{Cf}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5)+/gu;
const AROUND = /^[\s'"`´‘’“”„«»‹›,;]+|[\s'"`´‘’“”„«»‹›,;]+$/gu;

/** A cell without signs that nobody sees, the wrapping of spreadsheets (`="x"`), and quotes and separators around it. */
export function bareCell(text: string): string {
  const seen = text.normalize('NFC').replace(UNSEEN, ' ').trim();
  const unwrapped = /^="(.*)"$/s.exec(seen)?.[1] ?? seen;
  return unwrapped.replace(AROUND, '');
}
