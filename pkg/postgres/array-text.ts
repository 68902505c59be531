type Scalar = string | number | null;

/** What needs no quotes in the text form of an array (ids, states, numbers); `null` would be read as NULL. */
const PLAIN = /^[\w:.-]+$/;

/**
 * The text form of a one-dimensional array of scalars, for a parameter such as `$1::uuid[]`. The driver makes the same
 * value by element; a batch has tens of thousands.
 */
export function arrayText(values: readonly Scalar[]): string {
  // In a batch most columns hold the same value over and over.
  let last: Scalar = null;
  let lastText: string | number = 'NULL';
  const texts = values.map((value) => {
    if (value === last) return lastText;
    last = value;
    lastText = element(value);
    return lastText;
  });
  return `{${texts.join(',')}}`;
}

function element(value: Scalar): string | number {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return value;
  if (PLAIN.test(value) && (value.length !== 4 || value.toLowerCase() !== 'null')) return value;
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
