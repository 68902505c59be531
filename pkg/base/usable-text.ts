/**
 * Text from outside as a database and a person can use it: without NUL bytes, and with no half of a character, of which what
 * was cut may hold one. A single one of either makes Postgres refuse the whole statement, with all that others have in it.
 * @param max UTF-16 units that are kept
 */
export function usableText(text: string, max = Number.POSITIVE_INFINITY): string {
  return text.replaceAll('\u0000', '').slice(0, max).toWellFormed();
}

/** A value from outside whose texts are all usable, at any depth. */
export function usableValue<T>(value: T): T {
  const usable = (one: unknown): unknown => {
    if (typeof one === 'string') return usableText(one);
    if (Array.isArray(one)) return one.map(usable);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [usableText(name), usable(inner)]));
  };
  return usable(value) as T;
}

/** Values of a JSON text from outside, and how deep they may lie in each other: no honest answer has a tenth of it. */
const MAX_VALUES = 200_000;
const MAX_DEPTH = 200;

/**
 * The value of a JSON text from outside, all its strings usable. It is parsed in the process that asked: its cost is linear in the text,
 * whose length each caller bounds, and what it builds is bounded by the number of its values, which are counted before any is made.
 * @throws SyntaxError also for one of too many values
 */
export function parseOutsideJson(text: string): unknown {
  requireFewValues(text);
  return JSON.parse(text, (_key, value: unknown) => (typeof value === 'string' ? usableText(value) : value));
}

/** Four megabytes of `{},` are a million objects. */
function requireFewValues(text: string): void {
  let [depth, values, inString] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === BACKSLASH) at++;
      else inString = unit !== QUOTE;
      continue;
    }
    inString = unit === QUOTE;
    const deeper = DEPTH[unit];
    if (deeper === undefined) continue;
    depth += deeper;
    if (deeper >= 0) values++;
    if (values > MAX_VALUES || depth > MAX_DEPTH)
      throw new SyntaxError(`more than ${MAX_VALUES} values, or ${MAX_DEPTH} in each other`);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** By how much what follows a sign lies deeper; signs that begin a value, at least 0. */
const DEPTH: Readonly<Record<number, number>> = { 44: 0, 91: 1, 123: 1, 93: -1, 125: -1 };
