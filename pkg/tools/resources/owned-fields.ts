import { canonicalJson } from '../../base/json.ts';
import type { FieldSet, ManagedEntry } from '../../kube/managed-fields.ts';

type Fields = Record<string, unknown>;

/** Lists are atomic in our kinds, and a graph is never merged: these are owned as a whole. */
const isMap = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);

/** What `manager` owns below `spec` by server-side apply; empty when it owns nothing. */
export function ownedSpec(managedFields: readonly unknown[] | undefined, manager: string): FieldSet {
  const entries = (managedFields ?? []) as ManagedEntry[];
  const entry = entries.find((one) => one.manager === manager && one.operation === 'Apply' && !one.subresource);
  return entry?.fieldsV1?.['f:spec'] ?? {};
}

/**
 * The spec to apply: every field that we own, with its value in `next`, and every field that `next` changes.
 * A field that we own and `next` lacks is left out, which removes it.
 */
export function fieldsToApply(current: Fields, next: Fields, owned: FieldSet): Fields {
  const result: Fields = {};
  for (const [key, value] of Object.entries(next)) {
    if (value === undefined) continue;
    const mine = owned[`f:${key}`];
    const before = current[key];
    if (isMap(value)) {
      const inner = fieldsToApply(isMap(before) ? before : {}, value, mine ?? {});
      if (Object.keys(inner).length > 0 || (before === undefined && Object.keys(value).length === 0))
        result[key] = inner;
    } else if (mine !== undefined || !same(before, value)) {
      result[key] = value;
    }
  }
  return result;
}

/** Paths that `next` removes and we don't own: leaving them out would change nothing, so somebody else must. */
export function foreignRemovals(current: Fields, next: Fields, owned: FieldSet, path = 'spec'): string[] {
  return Object.entries(current).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const after = next[key];
    const mine = owned[`f:${key}`];
    if (isMap(value) && isMap(after)) return foreignRemovals(value, after, mine ?? {}, `${path}.${key}`);
    return after === undefined && mine === undefined ? [`${path}.${key}`] : [];
  });
}

/** The manager that owns a path such as `spec.title`, or undefined. */
export function managerOf(managedFields: readonly unknown[] | undefined, path: string): string | undefined {
  const parts = path.split('.').map((part) => `f:${part}`);
  for (const entry of (managedFields ?? []) as ManagedEntry[]) {
    let fields: FieldSet | undefined = entry.fieldsV1;
    for (const part of parts) fields = fields?.[part];
    if (fields) return entry.manager;
  }
  return undefined;
}

/** Whether two specs say the same. */
export function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}
