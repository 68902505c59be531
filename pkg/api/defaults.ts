import { canonicalJson } from '../base/json.ts';
import { specSchema } from './crd.ts';
import { KINDS } from './kinds.ts';
import type { KindName } from './specs.ts';

type Fields = Record<string, unknown>;
interface Schema {
  default?: unknown;
  properties?: Record<string, Schema>;
}

const schemas = new Map<KindName, Schema>();

function schemaOf(kind: KindName): Schema {
  const known = schemas.get(kind);
  if (known) return known;
  const schema: Schema = specSchema(KINDS[kind]);
  schemas.set(kind, schema);
  return schema;
}

const isMap = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);

/** The spec without the fields that say what the definition says where they are absent; the API server fills them in again. */
export function withoutDefaults(kind: KindName, spec: object): Fields {
  return stripped(schemaOf(kind), { ...spec });
}

function stripped({ properties = {} }: Schema, value: Fields): Fields {
  const kept = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const schema = properties[key];
    if (!schema || inner === undefined) return inner === undefined ? [] : [[key, inner]];
    const left = isMap(inner) && schema.properties ? stripped(schema, inner) : inner;
    return isDefault(schema, left) ? [] : [[key, left]];
  });
  return Object.fromEntries(kept);
}

function isDefault(schema: Schema, value: unknown): boolean {
  return schema.default !== undefined && canonicalJson(schema.default) === canonicalJson(value);
}

/** Whether a value is what the definition fills in at a path below `spec`, for example `['contactPolicy', 'stopOnReply']`. */
export function isDefaultAt(kind: KindName, path: readonly string[], value: unknown): boolean {
  let schema: Schema | undefined = schemaOf(kind);
  for (const part of path) schema = schema?.properties?.[part];
  return schema !== undefined && isDefault(schema, value);
}
