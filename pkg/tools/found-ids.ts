import { notFound, type RecordType } from './errors.ts';

/**
 * Divides the ids that a bulk call names: a bad one costs itself alone.
 * @param known those that are there and the caller may use
 * @throws UserError not found, when none of them is there
 */
export function foundIds(
  type: RecordType,
  ids: readonly string[],
  known: Iterable<string>,
): { found: string[]; missing: string[] } {
  const there = new Set(known);
  const unique = [...new Set(ids)];
  const found = unique.filter((id) => there.has(id));
  const missing = unique.filter((id) => !there.has(id));
  const [first] = missing;
  if (found.length === 0 && first !== undefined) throw notFound(type, first);
  return { found, missing };
}
