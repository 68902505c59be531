import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { describeTool, ToolList } from '../../pkg/mcp/tool-list.ts';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';

interface Listed {
  name: string;
  description: string;
  inputSchema: Schema;
  outputSchema: Schema;
}

interface Schema {
  [keyword: string]: unknown;
}

/** As a client reads them that asks for all there is. */
function listedTools(): Listed[] {
  const narrowing = { toolsets: null, tools: null, readOnly: false, scoped: false, outputs: true };
  const { text } = new ToolList(ALL_TOOLS).result(narrowing, new Set(), '2025-11-25');
  return (JSON.parse(text) as { tools: Listed[] }).tools;
}

/** Keywords below which schemas stand: by name, as a list, alone. */
const BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const ALONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];

/** Each schema of a tool, with where it stands. */
function* schemasOf(schema: Schema, path: string): Generator<[path: string, schema: Schema]> {
  yield [path, schema];
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === null || typeof value !== 'object') continue;
    const below = BY_NAME.includes(keyword) || LISTS.includes(keyword) ? Object.entries(value) : [];
    for (const [name, inner] of below) yield* schemasOf(inner as Schema, `${path}.${keyword}.${name}`);
    if (ALONE.includes(keyword)) yield* schemasOf(value as Schema, `${path}.${keyword}`);
  }
}

/**
 * OpenAI, function calling without `strict` (API reference, FunctionDefinition; guide, Function calling): a function's name is
 * of 1 to 64 letters, digits, `_` and `-`; its description has 1,024 characters at most; `parameters` is an object's schema
 * whose root is no choice, and each array says what it holds.
 */
const OPENAI_ROOT = ['anyOf', 'oneOf', 'allOf', 'enum', 'not'];

/**
 * Gemini, FunctionDeclaration.parametersJsonSchema (API reference, Schema and FunctionDeclaration): the keywords that it reads;
 * it refuses a request with `Unknown name` for any other. Also: names begin with a letter or `_`, a choice stands alone but for
 * what describes it, values of an enum are of its type, and a schema that is no choice has one type.
 */
const GEMINI = new Set([
  '$ref',
  '$defs',
  'type',
  'format',
  'title',
  'description',
  'default',
  'nullable',
  'enum',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'anyOf',
  'oneOf',
  'properties',
  'required',
  'additionalProperties',
]); // prettier-ignore

describe('contract: schemas of tools as clients read them', () => {
  const tools = listedTools();
  const inputs = tools.flatMap(({ name, inputSchema }) => [...schemasOf(inputSchema, name)]);
  const outputs = tools.flatMap(({ name, outputSchema }) => [...schemasOf(outputSchema, `${name} (result)`)]);

  it('say nothing of Kubernetes', () => {
    expect(JSON.stringify(tools)).to.not.contain('x-kubernetes-');
    expect(tools).to.have.length(ALL_TOOLS.length);
  });

  it('compile in a strict validator of 2020-12', () => {
    const ajv = new Ajv2020({ strict: true });
    addFormats.default(ajv);
    const failed = tools.flatMap(({ name, inputSchema, outputSchema }) =>
      [inputSchema, outputSchema].flatMap((schema) => {
        try {
          ajv.compile(schema);
          return [];
        } catch (error) {
          return [`${name}: ${(error as Error).message}`];
        }
      }),
    );
    expect(failed).to.deep.equal([]);
  });

  it('are what OpenAI takes as parameters of a function', () => {
    const wrong = tools.flatMap(({ name, description, inputSchema }) => [
      ...(/^[a-zA-Z0-9_-]{1,64}$/.test(name) ? [] : [`${name}: name`]),
      ...(description.length <= 1_024 ? [] : [`${name}: description`]),
      ...(inputSchema['type'] === 'object' ? [] : [`${name}: type`]),
      ...OPENAI_ROOT.filter((keyword) => keyword in inputSchema).map((keyword) => `${name}: ${keyword}`),
    ]);
    const arrays = inputs.filter(([, { type, items, prefixItems }]) => type === 'array' && !items && !prefixItems);
    expect([...wrong, ...arrays.map(([path]) => `${path}: items`)]).to.deep.equal([]);
  });

  it('are what Gemini takes as parameters of a function', () => {
    const names = tools.filter(({ name }) => !/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(name)).map(({ name }) => name);
    const wrong = inputs.flatMap(([path, schema]) => [
      ...Object.keys(schema)
        .filter((keyword) => !GEMINI.has(keyword))
        .map((keyword) => `${path}: ${keyword}`),
      ...(Array.isArray(schema['type']) ? [`${path}: several types`] : []),
      ...(badEnum(schema) ? [`${path}: enum of another type`] : []),
    ]);
    expect([...names, ...wrong]).to.deep.equal([]);
  });

  it('of results name a type wherever they name what it has', () => {
    const untyped = outputs.filter(([, { type, properties }]) => properties !== undefined && type !== 'object');
    expect(untyped.map(([path]) => path)).to.deep.equal([]);
    expect(describeTool(ALL_TOOLS[0] as never)).to.have.property('inputSchema');
  });
});

function badEnum({ type, enum: values }: Schema): boolean {
  if (!Array.isArray(values)) return false;
  const plain = type === 'integer' ? 'number' : type;
  return values.some((value) => typeof value !== plain);
}
