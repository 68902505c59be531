import type { JsonObject } from '../../base/json.ts';

/** Counts that a run has kept under these names, in this order; what it has not counted yet is 0. */
export function countsOf<K extends string>(kept: JsonObject, names: readonly K[]): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, Number(kept[name] ?? 0)])) as Record<K, number>;
}

/** Adds to a count of a run. @param always it is named at 0 too */
export function bump(result: JsonObject, name: string, by: number, always = false): void {
  if (by > 0 || always) result[name] = Number(result[name] ?? 0) + by;
}
