/** A structural schema, as far as bounds go. */
export interface Schema {
  type?: string;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  default?: unknown;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-validations'?: { message: string }[];
}

/** A value that one bound of a schema refuses. */
export interface Violation {
  /** For example `spec.graph.nodes[0].label: maxLength`. */
  name: string;
  /** Where the server sees it. */
  field: string;
  says: RegExp;
  spec: unknown;
}

const CANDIDATES = [
  'a',
  'aa',
  '5m',
  '1',
  '250m',
  'UTC',
  'ann@example.com',
  'https://example.com',
  'US',
  '09:00',
  'a/b',
];

/** A smallest value that the schema takes. */
export function example(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case 'string':
      return text(schema);
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, 0);
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => (schema.items ? example(schema.items) : {}));
    default:
      if (schema['x-kubernetes-int-or-string']) return 1;
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, example(schema.properties?.[name] ?? {})]),
      );
  }
}

function text({ pattern, minLength = 0, maxLength = 1_000 }: Schema): string {
  const fits = (one: string): boolean =>
    one.length >= minLength && one.length <= maxLength && (!pattern || new RegExp(pattern, 'u').test(one));
  const found = [...CANDIDATES, 'a'.repeat(minLength)].find(fits);
  if (found === undefined) throw new Error(`no example of ${pattern}`);
  return found;
}

/** One violation of every bound below a schema. `wrap` puts a value where the schema stands into a whole spec. */
export function* violations(schema: Schema, field: string, wrap: (value: unknown) => unknown): Generator<Violation> {
  if (schema['x-kubernetes-preserve-unknown-fields']) return;
  for (const [bound, says, value] of boundsOf(schema))
    yield { name: `${field}: ${bound}`, field, says, spec: wrap(value) };
  const whole = schema.type === 'object' ? (example(schema) as Record<string, unknown>) : {};
  for (const name of schema.required ?? []) {
    if (schema.properties?.[name]?.default !== undefined) continue;
    const { [name]: _left, ...rest } = whole;
    yield { name: `${field}.${name}: required`, field: `${field}.${name}`, says: /Required value/, spec: wrap(rest) };
  }
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    yield* violations(inner, `${field}.${name}`, (value) => wrap({ ...whole, [name]: value }));
  }
  const { items, additionalProperties: extra } = schema;
  if (items) yield* violations(items, `${field}[0]`, (value) => wrap([value]));
  if (typeof extra === 'object') yield* violations(extra, `${field}.k`, (value) => wrap({ k: value }));
}

function* boundsOf(schema: Schema): Generator<[bound: string, says: RegExp, value: unknown]> {
  const { type, pattern, minLength, maxLength, minimum, maximum, minItems, maxItems, maxProperties } = schema;
  if (type && !schema['x-kubernetes-int-or-string'])
    yield ['type', /must be of type|Invalid value/, type === 'string' ? 7 : 'text'];
  if (schema.enum) yield ['enum', /Unsupported value/, type === 'integer' ? 4_711 : 'no such value'];
  if (maxLength !== undefined) yield ['maxLength', /Too long/, 'a'.repeat(maxLength + 1)];
  if (minLength !== undefined && minLength > 0) yield ['minLength', /at least|should match/, 'a'.repeat(minLength - 1)];
  if (pattern !== undefined) yield ['pattern', /should match/, '!'.repeat(Math.max(1, minLength ?? 1))];
  if (minimum !== undefined) yield ['minimum', /greater than/, minimum - 1];
  if (maximum !== undefined) yield ['maximum', /less than/, maximum + 1];
  if (minItems !== undefined && minItems > 0) yield ['minItems', /at least/, []];
  if (maxItems !== undefined && schema.items) {
    const { items } = schema;
    yield ['maxItems', /Too many/, Array.from({ length: maxItems + 1 }, () => example(items))];
  }
  if (maxProperties !== undefined && typeof schema.additionalProperties === 'object') {
    const value = example(schema.additionalProperties);
    yield [
      'maxProperties',
      /Too many/,
      Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, at) => [`k${at}`, value])),
    ];
  }
}

/** Messages of all rules below a schema. */
export function rulesOf(schema: Schema): string[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ message }) => message);
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  return [...own, ...inner.flatMap(rulesOf)];
}
