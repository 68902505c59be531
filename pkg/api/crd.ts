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
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: structural(kind.spec),
      status: structural(kind.status),
    },
  };
}

/** The structural schema of a zod schema; input side, so that fields with a default are not required. */
function structural(schema: z.ZodType): Schema {
  return clean(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' })) as Schema;
}

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
