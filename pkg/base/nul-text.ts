/**
 * Where a value of JSON holds a NUL character, in a text or in the name of a field: no column of Postgres takes it.
 * @returns the path of what holds it, such as `spec.nodes.0.label`; undefined: nothing does
 */
export function nulPath(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.includes('\u0000') ? path : undefined;
  if (value === null || typeof value !== 'object') return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (key.includes('\u0000')) return path;
    const found = nulPath(inner, path === '' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
