import { fieldSchema } from './own-field.ts';
import { isObject, listKey } from './schema.ts';
import type { Cause } from './status.ts';
import type { Fields, Kind, Schema } from './types.ts';

/**
 * Why what is applied does not have the shape that its definition gives: server-side apply works on typed values, and
 * refuses others before anything else, whatever the field validation. Undefined: it has it, or there is no definition.
 */
export function typedProblem(body: Fields, { schema }: Kind): string | undefined {
  if (!schema) return undefined;
  for (const [name, value] of Object.entries(body)) {
    if (name === 'apiVersion' || name === 'kind' || name === 'metadata') continue;
    const problem = problemOf(value, fieldSchema(schema, name) ?? unknownIn(schema), `.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The schema of a field that is not named; undefined where there may be none. */
function unknownIn(schema: Schema): Schema | undefined {
  if (isObject(schema.additionalProperties)) return schema.additionalProperties as Schema;
  return schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties === true ? ANYTHING : undefined;
}

const ANYTHING: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

function problemOf(value: unknown, schema: Schema | undefined, path: string): string | undefined {
  if (schema === undefined) return `${path}: field not declared in schema`;
  if (value === null || (schema['x-kubernetes-preserve-unknown-fields'] && !schema.properties)) return undefined;
  if (schema.type === 'array') return listProblem(value, schema, path);
  if (schema.type !== 'object') return undefined;
  if (!isObject(value)) return `${path}: expected map, got ${shown(value)}`;
  for (const [name, inner] of Object.entries(value)) {
    const problem = problemOf(inner, fieldSchema(schema, name) ?? unknownIn(schema), `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function listProblem(value: unknown, schema: Schema, path: string): string | undefined {
  if (!Array.isArray(value)) return `${path}: expected list, got ${shown(value)}`;
  const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    if (keys.length > 0 && isObject(item) && keys.every((key) => item[key] === undefined))
      return `${path}: element ${index}: associative list with keys has an element that omits all key fields ${JSON.stringify(keys)} (and doesn't have default values for any key fields)`;
    const key = listKey(item, schema);
    if (key !== undefined && seen.has(key)) return `${path}: duplicate entries for key ${key}`;
    if (key !== undefined) seen.add(key);
    const problem = problemOf(item, schema.items ?? ANYTHING, `${path}[${index}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Nulls of what is applied: elsewhere one that may not be null counts as absent, here it is a value of a wrong type. */
export function nullCauses(value: unknown, schema: Schema | undefined, path = ''): Cause[] {
  if (value === undefined || !schema) return [];
  if (value === null) {
    if (schema.nullable || schema.type === undefined) return [];
    const message = `Invalid value: "null": ${path} in body must be of type ${schema.type}: "null"`;
    return [{ reason: 'FieldValueTypeInvalid', field: path, message }];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => nullCauses(item, schema.items, `${path}[${index}]`));
  if (!isObject(value)) return [];
  const extra = isObject(schema.additionalProperties) ? (schema.additionalProperties as Schema) : undefined;
  return Object.entries(value).flatMap(([name, inner]) =>
    nullCauses(inner, fieldSchema(schema, name) ?? extra, path === '' ? name : `${path}.${name}`),
  );
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}
