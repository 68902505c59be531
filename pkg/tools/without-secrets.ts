/** What a repeated call is told in a secret's place. */
export const SHOWN_ONCE = '(shown once, in the first answer)';

/** Names of fields that hold a secret where they hold text. */
const SECRET_FIELD = /^(key|plaintext|password|secret|token|.*(Secret|Password|Token))$/;
/** An API key of ours, wherever it stands. */
const API_KEY = /\bcsu?_[0-9a-f]{32}\b/g;

/** A result as it may be stored: the answer to a repetition says that the secret was shown once. */
export function withoutSecrets<T>(result: T): T {
  return cleaned(result) as T;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(API_KEY, SHOWN_ONCE);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(cleaned);
  const fields = Object.entries(value).map(([name, inner]) => [
    name,
    typeof inner === 'string' && SECRET_FIELD.test(name) ? SHOWN_ONCE : cleaned(inner),
  ]);
  return Object.fromEntries(fields);
}
