import { canonicalJson } from '../base/json.ts';

/** Values remembered at most; with more different ones than this, sharing is not worth its own memory. */
const MAX_VALUES = 5_000;
/** Longer texts are rarely said twice. */
const MAX_TEXT = 1_024;

/**
 * One copy of what many objects say alike (reasons, messages, times, names of kinds): parsed JSON has a copy of its own
 * for each.
 */
export class SharedValues {
  readonly #texts = new Map<string, string>();
  readonly #values = new Map<string, unknown>();

  /** The text, as it was seen first. */
  text(text: string): string {
    if (text.length > MAX_TEXT) return text;
    return remembered(this.#texts, text, text);
  }

  /** The JSON value, as it was seen first; the one who is given it must not change it. */
  value<T>(value: T): T {
    return remembered(this.#values, canonicalJson(value), value) as T;
  }

  /** Puts shared texts into a parsed JSON value, in place, at every depth. @returns the value */
  within<T>(value: T): T {
    if (value === null || typeof value !== 'object') return value;
    const fields = value as Record<string, unknown>;
    for (const [name, inner] of Object.entries(fields)) {
      if (typeof inner === 'string') fields[name] = this.text(inner);
      else this.within(inner);
    }
    return value;
  }
}

function remembered<V>(known: Map<string, V>, key: string, value: V): V {
  const before = known.get(key);
  if (before !== undefined) return before;
  if (known.size >= MAX_VALUES) known.clear();
  known.set(key, value);
  return value;
}
