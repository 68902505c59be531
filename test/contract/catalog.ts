import { readFileSync } from 'node:fs';

/** A parameter, or a property of one, as the catalog writes it. */
export interface CatalogSchema {
  type: string;
  enum?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  format?: string;
  items?: CatalogSchema;
  properties?: Record<string, CatalogSchema>;
  required?: string[] | boolean;
}

export interface CatalogParam extends CatalogSchema {
  name: string;
  required: boolean;
}

export interface CatalogTool {
  name: string;
  domain: string;
  title: string;
  description: string;
  scope: string;
  category: string;
  annotations: Record<string, boolean>;
  params: CatalogParam[];
  result: Record<string, string>;
  errors?: { condition: string; recordType?: string; pointsTo: string }[];
}

export interface CatalogNodeType {
  nodeType: string;
  what: string;
  outcomes: string[];
  /** Null or absent: an edge needs a branch, or none leads on. */
  defaultOutcome?: string | null;
  /** The action whose budget it spends. */
  budget?: string;
  reviewable?: boolean;
}

/** The copy of the interface's contract. */
export const CATALOG = JSON.parse(readFileSync(new URL('catalog.json', import.meta.url), 'utf8')) as {
  scopes: string[];
  enums: Record<string, string[]>;
  tools: CatalogTool[];
  nodeTypes: CatalogNodeType[];
  recordTypes: Record<string, { label: string; listTool: string }>;
  /** Without `transitions` any state may follow any other; some machines are written out as objects. */
  stateMachines: Record<string, { states: string[]; transitions?: string[]; ended?: string[] }>;
};

/** A text without the names of tools, which a declaration may replace by the nearest one that is built. */
export function withoutToolNames(text: string): string {
  return text.replace(/svc_[a-z_]+/g, 'svc_…');
}

type Json = Record<string, unknown>;

/** What the catalog says of a schema, in one shape that both sides can be brought to. */
export function expectedSchema(schema: CatalogSchema): Json {
  const shape: Json = pick(schema as unknown as Json);
  if (schema.items) shape['items'] = expectedSchema(schema.items);
  if (schema.properties) {
    const entries = Object.entries(schema.properties).map(([name, inner]) => [name, expectedSchema(inner)]);
    shape['properties'] = Object.fromEntries(entries);
    shape['required'] = Array.isArray(schema.required) ? [...schema.required].sort() : [];
  }
  return shape;
}

/** The same of a published JSON Schema. */
export function publishedSchema(schema: Json): Json {
  const shape: Json = pick(withoutNull(schema));
  const source = withoutNull(schema);
  if (source['items']) shape['items'] = publishedSchema(source['items'] as Json);
  const properties = source['properties'] as Record<string, Json> | undefined;
  if (properties) {
    shape['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, publishedSchema(inner)]),
    );
    shape['required'] = [...((source['required'] as string[] | undefined) ?? [])].sort();
  }
  return shape;
}

/** Alternatives of one type with null collapse to that type. */
function withoutNull(schema: Json): Json {
  const types = schema['type'];
  if (Array.isArray(types) && types.length === 2 && types[1] === 'null') return { ...schema, type: types[0] };
  const branches = schema['anyOf'] as Json[] | undefined;
  const real = branches?.filter((branch) => branch['type'] !== 'null');
  return real?.length === 1 && real[0]
    ? { ...real[0], ...('default' in schema ? { default: schema['default'] } : {}) }
    : schema;
}

const KEPT = [
  'type',
  'enum',
  'default',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'format',
];

function pick(schema: Json): Json {
  const shape: Json = {};
  for (const key of KEPT) {
    const value = schema[key];
    // The catalog's word for a date or a date and time is no format of JSON Schema: strict validators refuse it.
    if (value === 'iso8601') continue;
    if (value === undefined || (typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER)) continue;
    shape[key] = value;
  }
  return shape;
}
