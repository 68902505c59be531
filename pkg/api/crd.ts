import { z } from 'zod';
import { celRules, NAME_RULE } from './fields.ts';
import { GROUP, type Kind, VERSION } from './kind.ts';

type Schema = Record<string, unknown>;

/** The CustomResourceDefinition (apiextensions.k8s.io/v1) of a kind, as plain data. */
export function customResourceDefinition(kind: Kind): Schema {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        plural: kind.plural,
        singular: kind.singular,
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        shortNames: kind.shortNames,
        categories: ['outrider'],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: kind.columns,
          selectableFields: kind.selectableFields.map((jsonPath) => ({ jsonPath })),
          schema: { openAPIV3Schema: objectSchema(kind) },
        },
      ],
    },
  };
}

function objectSchema(kind: Kind): Schema {
  return {
    type: 'object',
    description: kind.description,
    required: ['spec'],
    ...celRules(NAME_RULE),
    properties: {
      apiVersion: { type: 'string', description: `Version of this form of the object: ${GROUP}/${VERSION}.` },
      kind: { type: 'string', description: `Kind of the object: ${kind.kind}.` },
      metadata: { type: 'object' },
      spec: structural(kind.spec),
      status: structural(kind.status),
    },
  };
}

/** The structural schema of a kind's spec, as its definition has it. */
export function specSchema(kind: Kind): Schema {
  return structural(kind.spec);
}

/** The structural schema of a zod schema; input side, so that fields with a default are not required. */
function structural(schema: z.ZodType): Schema {
  const plain = clean(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' })) as Schema;
  return withoutListDefaults(plain, false);
}

/**
 * Drops the defaults of what stands in lists and maps. The API server would write them into each item, and then no manifest is
 * equal to its object: `kubectl apply` would change it each time, and a second manager of the list would be in conflict.
 */
function withoutListDefaults(schema: Schema, inItem: boolean): Schema {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'default' && inItem) return [];
    if (key === 'properties' && isSchema(value)) return [[key, eachOf(value, inItem)]];
    const below = (key === 'items' || key === 'additionalProperties') && isSchema(value);
    return [[key, below ? withoutListDefaults(value, true) : value]];
  });
  return Object.fromEntries(entries);
}

function eachOf(properties: Schema, inItem: boolean): Schema {
  const entries = Object.entries(properties);
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutListDefaults(inner as Schema, inItem)]));
}

const isSchema = (value: unknown): value is Schema => value !== null && typeof value === 'object';

/** Drops what JSON Schema knows and a structural schema doesn't, or what says nothing. */
function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (value === null || typeof value !== 'object') return value;
  const schema = value as Schema;
  if (schema['x-kubernetes-int-or-string']) return intOrString(schema);
  const entries = Object.entries(schema).filter(([key, inner]) => !isNoise(key, inner));
  return Object.fromEntries(entries.map(([key, inner]) => [key, clean(inner)]));
}

function isNoise(key: string, value: unknown): boolean {
  if (key === '$schema' || key === 'propertyNames') return true;
  if (key === 'additionalProperties' && value === false) return true;
  return (key === 'maximum' || key === 'minimum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

/** The form that apiextensions demands for a value that may be either. */
function intOrString(schema: Schema): Schema {
  const { description } = schema;
  return {
    ...(description ? { description } : {}),
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
    maxLength: 20,
  };
}
