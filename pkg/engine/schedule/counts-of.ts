import type { JsonObject } from '../../base/json.ts';

/** Counts that a run has kept under these names, in this order; what it has not counted yet is 0. */
export function countsOf<K extends string>(kept: JsonObject, names: readonly K[]): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, Number(kept[name] ?? 0)])) as Record<K, number>;
}
