import { inputSchemaOf } from '../../../pkg/mcp/tool-list.ts';
import { EXAMPLE_GRAPH } from '../../../pkg/nodes/example-graph.ts';
import type { AnyTool } from '../../../pkg/tools/tool.ts';

/** One bad call: its arguments as JSON text, because some of what clients may send is no value of JavaScript. */
export interface Hostile {
  what: string;
  json: string;
  /** The path that the refusal must name; undefined where the tool itself decides. */
  path?: string;
}

interface Schema {
  type?: string;
  enum?: string[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
}
type Args = Record<string, unknown>;

/** Stands for JSON that no value gives; see {@link text}. */
const raw = (json: string): string => `@raw:${Buffer.from(json).toString('base64')}@`;
const DEEP = raw(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
const WRONG: Record<string, unknown[]> = {
  string: [5, true, [], {}, null],
  integer: ['1', true, [], {}, null, 1.5, raw('1e400')],
  number: ['1', true, [], {}, null, raw('1e400')],
  boolean: ['true', 1, [], {}, null],
  array: ['x', 5, {}, null, true],
  object: ['x', 5, [], null, true],
};

/** What tools demand for names that a schema does not tell. */
const PLAUSIBLE: Record<string, unknown> = {
  csv: 'First name,Email\nAda,ada@hostile.example',
  ownerEmail: 'owner@hostile.example',
  graph: EXAMPLE_GRAPH,
  scopes: ['leads:read'],
  fromDate: '2026-01-01T00:00:00Z',
  toDate: '2026-02-01T00:00:00Z',
  resumeAt: '2030-01-01T00:00:00Z',
  until: '2030-01-01T00:00:00Z',
  timezone: 'Europe/Berlin',
};

const schemaOf = (tool: AnyTool): Schema => inputSchemaOf(tool) as Schema;
const parametersOf = (tool: AnyTool): [string, Schema][] => Object.entries(schemaOf(tool).properties ?? {});

/** The arguments as they are sent. */
function text(args: unknown): string {
  return JSON.stringify(args).replace(/"@raw:([\w+/=]*)@"/g, (_, inner: string) =>
    Buffer.from(inner, 'base64').toString(),
  );
}

function plausible(name: string, schema: Schema, ids: Args): unknown {
  if (name in ids) return ids[name];
  if (name in PLAUSIBLE) return PLAUSIBLE[name];
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'string') return 'x'.repeat(Math.max(schema.minLength ?? 1, 1));
  if (schema.type === 'integer' || schema.type === 'number') return schema.default ?? schema.minimum ?? 1;
  if (schema.type === 'boolean') return false;
  if (schema.type === 'array') return [plausible(name.replace(/s$/, ''), schema.items ?? {}, ids)];
  const required = Object.entries(schema.properties ?? {}).filter(([inner]) => schema.required?.includes(inner));
  return Object.fromEntries(required.map(([inner, inside]) => [inner, plausible(inner, inside, ids)]));
}

/** Arguments that pass the schema: the required ones only. */
function minimal(tool: AnyTool, ids: Args): Args {
  const required = schemaOf(tool).required ?? [];
  return Object.fromEntries(
    parametersOf(tool)
      .filter(([name]) => required.includes(name))
      .map(([name, schema]) => [name, plausible(name, schema, ids)]),
  );
}

/** Calls that the schema of a tool must refuse, naming the field. */
export function refusedBySchema(tool: AnyTool, ids: Args): Hostile[] {
  const base = minimal(tool, ids);
  const found: Hostile[] = [];
  const add = (what: string, args: unknown, path: string): number => found.push({ what, json: text(args), path });
  for (const args of [5, 'x', [], true]) add(`arguments ${JSON.stringify(args)}`, args, 'input');
  for (const extra of ['surprise', 'constructor', 'toString']) add(`extra ${extra}`, { ...base, [extra]: 1 }, extra);
  found.push({ what: 'own __proto__', json: withProto(text(base)), path: '__proto__' });
  add('a hundred thousand levels', { ...base, surprise: DEEP }, '');
  for (const name of schemaOf(tool).required ?? []) {
    const { [name]: _, ...rest } = base;
    add(`${name} missing`, rest, name);
  }
  for (const [name, schema] of parametersOf(tool)) {
    for (const bad of badValues(schema)) add(`${name}: ${shown(bad)}`, { ...base, [name]: bad }, name);
  }
  return found;
}

function badValues(schema: Schema): unknown[] {
  const values = [...(WRONG[schema.type ?? ''] ?? []), DEEP];
  if (schema.enum) values.push('nonsense', '__proto__', 'constructor', '');
  if (schema.type === 'string') values.push('a\u0000b', 'a\ud800b');
  if (schema.maxLength !== undefined) values.push('x'.repeat(schema.maxLength + 1));
  if (schema.minLength) values.push('');
  if (schema.type === 'integer') values.push(2 ** 53, -(2 ** 53));
  if (schema.maximum !== undefined) values.push(schema.maximum + 1);
  if (schema.minimum !== undefined) values.push(schema.minimum - 1);
  if (schema.maxItems !== undefined) values.push(Array(schema.maxItems + 1).fill('x'));
  for (const bad of WRONG[schema.items?.type ?? ''] ?? []) values.push([bad]);
  if (schema.items?.type === 'string') values.push(['a\u0000b'], ['a\udc00b']);
  for (const [inner, about] of Object.entries(schema.properties ?? {})) {
    for (const bad of WRONG[about.type ?? ''] ?? []) values.push({ [inner]: bad });
  }
  return values;
}

/** Calls that pass the schema, or nearly: the tool may do them or refuse them with a text that helps. */
export function decidedByTool(tool: AnyTool, ids: Args, foreign: Args): Hostile[] {
  const base = minimal(tool, ids);
  const found: Hostile[] = [{ what: 'plausible', json: text(base) }];
  for (const [name, schema] of parametersOf(tool)) {
    for (const odd of oddValues(name, schema, ids, foreign))
      found.push({ what: `${name}: ${shown(odd)}`, json: text({ ...base, [name]: odd }) });
  }
  return found;
}

const ODD_TEXTS = [
  `'; drop table outrider.lead; --`,
  '../../../etc/passwd',
  '%_\\',
  '💥\u202e\r\n\t',
  '__proto__',
  'x'.repeat(1_000_000),
];
const ODD_TIMES = [
  '9999-99-99',
  '0000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '-271821-04-20T00:00:00Z',
  '2026',
];

function oddValues(name: string, schema: Schema, ids: Args, foreign: Args): unknown[] {
  if (name === 'graph') return ODD_GRAPHS;
  if (schema.enum) return schema.enum;
  const values: unknown[] = name in foreign ? [foreign[name]] : [];
  if (schema.type === 'string') {
    values.push(...ODD_TEXTS.filter((odd) => odd.length <= (schema.maxLength ?? Number.POSITIVE_INFINITY)));
    if (name in PLAUSIBLE) values.push(...ODD_TIMES);
  }
  if (schema.type === 'integer') values.push(schema.maximum ?? 2 ** 53 - 1, schema.minimum ?? -(2 ** 53) + 1);
  if (schema.type === 'number') values.push(schema.maximum ?? 1e308, schema.minimum ?? -1e308, 1e-300);
  if (schema.type === 'boolean') values.push(true, false);
  if (schema.type === 'array' && schema.items?.type === 'string') {
    const longest = schema.maxItems ?? 20_000;
    values.push([], Array(longest).fill('x'), ODD_TEXTS, [plausible(name.replace(/s$/, ''), schema.items, ids)]);
  }
  if (schema.type === 'object')
    values.push(
      {},
      raw('{"__proto__":{"polluted":true}}'),
      { constructor: { prototype: 1 } },
      { x: 'y'.repeat(100_000) },
    );
  return values;
}

const node = (nodeId: string, more: object = {}): object => ({ nodeId, nodeType: 'flow:wait', config: {}, ...more });
const ODD_GRAPHS: unknown[] = [
  {},
  { nodes: [], edges: [] },
  { nodes: 5, edges: 'x' },
  { nodes: [null], edges: [null] },
  { nodes: [{}], edges: [{}] },
  { nodes: [node('a'), node('a')], edges: [] },
  { nodes: [node('a')], edges: [{ from: 'a', to: 'a' }] },
  { nodes: [node('__proto__'), node('constructor')], edges: [{ from: '__proto__', to: 'constructor' }] },
  { nodes: [node('a', { nodeType: 'toString' })], edges: [] },
  { nodes: [node('a', { config: raw('{"__proto__":1}') })], edges: [] },
  { nodes: Array.from({ length: 5_000 }, (_, i) => node(`n${i}`)), edges: [] },
  { nodes: [node('x'.repeat(100_000))], edges: [{ from: 'nowhere', to: 'x' }] },
  raw('{"nodes":[],"edges":[],"__proto__":{"polluted":true}}'),
];

function withProto(json: string): string {
  return json === '{}' ? '{"__proto__":{"polluted":true}}' : json.replace(/^\{/, '{"__proto__":{"polluted":true},');
}

function shown(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 60)}… (${json.length})` : json;
}
