import { fieldSchema, ownField, setOwnField } from './own-field.ts';
import { isObject, listKey } from './schema.ts';
import type { Fields, ManagedFields, Schema } from './types.ts';

/**
 * Field ownership of server-side apply. A set is a set of paths whose elements are the keys of FieldsV1:
 * `f:name` a field, `k:{…}` an item of a list by its keys, `v:…` an item of a set.
 */
export type FieldSet = Set<string>;

const SEPARATOR = '\u0000';
const IGNORED = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generateName',
]);

/** List keys of built-in objects, which carry no schema here. */
export const BUILTIN_LISTS: Record<string, Schema> = {
  conditions: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
  containers: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  env: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  ownerReferences: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['uid'] },
  finalizers: { 'x-kubernetes-list-type': 'set' },
};

/** Paths of everything that an object sets. */
export function fieldsOf(object: Fields, schema: Schema | null): FieldSet {
  const set: FieldSet = new Set();
  for (const [key, value] of Object.entries(object)) {
    if (key === 'apiVersion' || key === 'kind') continue;
    if (key !== 'metadata') collect(value, fieldSchema(schema ?? undefined, key), key, [`f:${key}`], set);
    else if (isObject(value)) {
      for (const [name, inner] of Object.entries(value))
        if (!IGNORED.has(name)) collect(inner, undefined, name, ['f:metadata', `f:${name}`], set);
    }
  }
  return set;
}

function collect(value: unknown, schema: Schema | undefined, name: string, path: string[], set: FieldSet): void {
  if (Array.isArray(value)) {
    collectList(value, schema ?? BUILTIN_LISTS[name], path, set);
    return;
  }
  if (!isObject(value) || (schema && isAtomic(schema)) || Object.keys(value).length === 0) {
    set.add(path.join(SEPARATOR));
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    collect(inner, fieldSchema(schema, key) ?? extraSchema(schema), key, [...path, `f:${key}`], set);
  }
}

function collectList(value: unknown[], schema: Schema | undefined, path: string[], set: FieldSet): void {
  const kind = schema?.['x-kubernetes-list-type'];
  if (!schema || (kind !== 'map' && kind !== 'set')) {
    set.add(path.join(SEPARATOR));
    return;
  }
  for (const item of value) {
    const element = `${kind === 'map' ? 'k' : 'v'}:${listKey(item, schema)}`;
    if (kind === 'set' || !isObject(item)) set.add([...path, element].join(SEPARATOR));
    else
      for (const [key, inner] of Object.entries(item))
        collect(inner, fieldSchema(schema.items, key), key, [...path, element, `f:${key}`], set);
  }
}

/** Whether the schema says that the object at a path is replaced whole. */
export function isAtomicMap(schema: Schema | null, path: string): boolean {
  let at: Schema | undefined = schema ?? undefined;
  for (const element of path.split(SEPARATOR)) {
    at = element.startsWith('f:') ? (fieldSchema(at, element.slice(2)) ?? extraSchema(at)) : at?.items;
  }
  return at !== undefined && isAtomic(at);
}

function isAtomic(schema: Schema): boolean {
  return schema['x-kubernetes-map-type'] === 'atomic';
}

/** The schema of fields that are not named: those of a free-form object are free-form, field by field. */
function extraSchema(schema: Schema | undefined): Schema | undefined {
  if (isObject(schema?.additionalProperties)) return schema.additionalProperties as Schema;
  return schema?.['x-kubernetes-preserve-unknown-fields'] ? FREE : undefined;
}

const FREE: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

/** The value at a path, or undefined. */
export function valueAt(object: unknown, path: string): unknown {
  let value: unknown = object;
  for (const element of path.split(SEPARATOR)) {
    value = step(value, element);
    if (value === undefined) return undefined;
  }
  return value;
}

function step(value: unknown, element: string): unknown {
  if (element.startsWith('f:')) return isObject(value) ? ownField(value, element.slice(2)) : undefined;
  return Array.isArray(value) ? value[indexOf(value, element)] : undefined;
}

function indexOf(list: unknown[], element: string): number {
  const wanted = JSON.parse(element.slice(2)) as unknown;
  if (element.startsWith('v:')) return list.findIndex((item) => JSON.stringify(item) === element.slice(2));
  const keys = Object.entries(wanted as Fields);
  return list.findIndex(
    (item) => isObject(item) && keys.every(([key, value]) => JSON.stringify(item[key]) === JSON.stringify(value)),
  );
}

/** Sets a value, making the objects and list items on the way. */
export function setAt(object: Fields, path: string, value: unknown): void {
  const elements = path.split(SEPARATOR);
  let at: unknown = object;
  for (const [index, element] of elements.entries()) {
    const next = elements[index + 1];
    at = element.startsWith('f:')
      ? enterField(at as Fields, element, next, value)
      : enterItem(at as unknown[], element);
  }
}

function enterField(holder: Fields, element: string, next: string | undefined, value: unknown): unknown {
  const key = element.slice(2);
  const listNext = next !== undefined && !next.startsWith('f:');
  const there = ownField(holder, key);
  if (next === undefined) setOwnField(holder, key, structuredClone(value));
  else if (listNext ? !Array.isArray(there) : !isObject(there)) setOwnField(holder, key, listNext ? [] : {});
  return ownField(holder, key);
}

function enterItem(list: unknown[], element: string): unknown {
  const position = indexOf(list, element);
  if (position >= 0) return list[position];
  const item = JSON.parse(element.slice(2)) as unknown;
  list.push(item);
  return item;
}

/** Removes a value and the objects and list items that it leaves empty. */
export function removeAt(object: Fields, path: string): void {
  removeIn(object, path.split(SEPARATOR));
}

function removeIn(holder: unknown, [element, ...rest]: string[]): boolean {
  if (element === undefined) return true;
  if (element.startsWith('f:') && isObject(holder)) {
    const key = element.slice(2);
    if (removeIn(ownField(holder, key), rest)) delete holder[key];
    return Object.keys(holder).length === 0 && key !== 'metadata';
  }
  if (!Array.isArray(holder)) return false;
  const position = indexOf(holder, element);
  if (position < 0) return holder.length === 0;
  const item = holder[position];
  const keys = element.startsWith('k:') ? Object.keys(JSON.parse(element.slice(2)) as Fields) : [];
  // Without its keys the item could not be found again for its other fields; it goes when only keys are left.
  const isKey = rest.length === 1 && keys.some((key) => rest[0] === `f:${key}`);
  if (!isKey) removeIn(item, rest);
  if (rest.length === 0 || (isObject(item) && Object.keys(item).every((key) => keys.includes(key))))
    holder.splice(position, 1);
  return holder.length === 0;
}

/** FieldsV1 of a set. */
export function toFieldsV1(set: FieldSet): Fields {
  const root: Fields = {};
  for (const path of set) {
    let at = root;
    for (const element of path.split(SEPARATOR)) {
      at[element] ??= {};
      at = at[element] as Fields;
    }
  }
  return root;
}

/** The set of a FieldsV1. */
export function fromFieldsV1(fields: Fields): FieldSet {
  const set: FieldSet = new Set();
  const walk = (at: Fields, path: string[]): void => {
    const keys = Object.keys(at).filter((key) => key !== '.');
    if (keys.length === 0 && path.length > 0) set.add(path.join(SEPARATOR));
    for (const key of keys) walk(at[key] as Fields, [...path, key]);
  };
  walk(fields, []);
  return set;
}

/** `.spec.title`, `.status.conditions[type="Ready"].status` */
export function pathText(path: string): string {
  return path
    .split(SEPARATOR)
    .map((element) => {
      if (element.startsWith('f:')) return `.${element.slice(2)}`;
      if (element.startsWith('v:')) return `[=${element.slice(2)}]`;
      const keys = Object.entries(JSON.parse(element.slice(2)) as Fields);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    })
    .join('');
}

/** Whether two entries are of the same manager (same name, operation and subresource). */
export function sameManager(
  a: ManagedFields,
  b: Pick<ManagedFields, 'manager' | 'operation' | 'subresource'>,
): boolean {
  return a.manager === b.manager && a.operation === b.operation && (a.subresource ?? '') === (b.subresource ?? '');
}
