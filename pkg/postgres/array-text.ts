type Scalar = string | number | null;

/** What needs no quotes in the text form of an array (ids, states, numbers); `null` would be read as NULL. */
const PLAIN = /^[\w:.-]+$/;

/**
 * The text form of a one-dimensional array of scalars, for a parameter such as `$1::uuid[]`. The driver makes the same
 * value by element; a batch has tens of thousands.
 */
export function arrayText(values: readonly Scalar[]): string {
  let text = '{';
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ',';
    text += element(values[index] ?? null);
  }
  return `${text}}`;
}

function element(value: Scalar): string | number {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return value;
  if (PLAIN.test(value) && value.toLowerCase() !== 'null') return value;
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
