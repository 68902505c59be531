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

/** Signs that separate words; every other one that nobody sees stands inside a word and is no part of it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const BETWEEN = /[\t-\r\u001c-\u001f\u0085]+/gu;
const UNSEEN = /(?:[\p{Cc}\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5)+/gu;
const AROUND = /^[\s'"`´‘’“”„«»‹›,;]+|[\s'"`´‘’“”„«»‹›,;]+$/gu;

/** A text without signs that nobody sees, among them NUL, which PostgreSQL takes in no text, and signs that turn the direction of writing. */
export function withoutUnseen(text: string): string {
  return text.replace(BETWEEN, ' ').replace(UNSEEN, '');
}

/** What a text means whose signs are percent-encoded, without those that nobody sees; as it is where it has no such meaning. */
export function percentDecoded(text: string): string {
  try {
    return withoutUnseen(decodeURIComponent(text));
  } catch {
    return text;
  }
}

/** A cell without signs that nobody sees, the wrapping of spreadsheets (`="x"`), and quotes and separators around it. */
export function bareCell(text: string): string {
  const seen = withoutUnseen(text.normalize('NFC')).trim();
  const unwrapped = /^="(.*)"$/s.exec(seen)?.[1] ?? seen;
  return unwrapped.replace(AROUND, '');
}
