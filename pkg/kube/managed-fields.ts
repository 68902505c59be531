import type { KubeObject } from './types.ts';

/** Paths that one manager owns, as `managedFields[].fieldsV1` writes them: `f:<name>` keys, nested. */
export type FieldSet = { [key: string]: FieldSet };

/** Who owns what of an object, by one way of writing. */
export interface ManagedEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  subresource?: string;
  fieldsV1?: FieldSet;
  [other: string]: unknown;
}

/** Where `kubectl apply` keeps the manifest that it applied last. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export function managedEntries({ metadata }: KubeObject): ManagedEntry[] {
  return (metadata.managedFields ?? []) as ManagedEntry[];
}

/** `.spec.title` or `spec.title` as its parts. Keys with dots in them can not be told apart from paths and are none. */
export function partsOf(field: string): string[] {
  return field.replace(/^\./, '').split('.');
}

/** Whether the entry owns the path, or something below it. */
export function ownsPath({ fieldsV1 }: ManagedEntry, path: readonly string[]): boolean {
  let at: FieldSet | undefined = fieldsV1;
  for (const part of path) at = at?.[`f:${part}`];
  return at !== undefined;
}

/** The manifest that an entry's manager applied last on the client's side; undefined: it keeps none, or none that can be read. */
export function lastApplied(object: KubeObject, entry: ManagedEntry): unknown {
  const text = object.metadata.annotations?.[LAST_APPLIED];
  if (text === undefined || !ownsPath(entry, ['metadata', 'annotations', LAST_APPLIED])) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value at a path, or undefined. */
export function valueAtPath(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const part of path) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

/** The set without the path and what is below it; undefined: nothing is left. */
export function withoutPath(fields: FieldSet, [part, ...rest]: readonly string[]): FieldSet | undefined {
  const key = `f:${part}`;
  const inner = fields[key];
  if (inner === undefined) return fields;
  const { [key]: _, ...others } = fields;
  const left = rest.length > 0 ? withoutPath(inner, rest) : undefined;
  const next = left ? { ...others, [key]: left } : others;
  return Object.keys(next).some((one) => one !== '.') ? next : undefined;
}
