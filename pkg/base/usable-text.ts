/**
 * Text from outside as a database and a person can use it: without NUL bytes, and with no half of a character, of which what
 * was cut may hold one. A single one of either makes Postgres refuse the whole statement, with all that others have in it.
 * @param max UTF-16 units that are kept
 */
export function usableText(text: string, max = Number.POSITIVE_INFINITY): string {
  return text.replaceAll('\u0000', '').slice(0, max).toWellFormed();
}

/** The value of a JSON text from outside, all its strings usable. @throws SyntaxError */
export function parseOutsideJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => (typeof value === 'string' ? usableText(value) : value));
}
