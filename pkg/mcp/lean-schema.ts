import { z } from 'zod';

type Json = Record<string, unknown>;

/** JSON Schema of what a tool takes or answers, without what says the same twice: a model pays for each byte of tools/list. */
export function leanSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return lean(rest) as Json;
}

/** The same of what a tool takes: models are given no field of several types, but a choice. */
export function leanInput(schema: z.ZodType): Json {
  return asChoices(leanSchema(schema)) as Json;
}

function asChoices(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asChoices);
  if (value === null || typeof value !== 'object') return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asChoices(one)]));
  if (!Array.isArray(inner['type'])) return inner;
  const { type, description, default: preset, ...rest } = inner;
  const about = {
    ...(description === undefined ? {} : { description }),
    ...(preset === undefined ? {} : { default: preset }),
  };
  return { ...about, anyOf: type.map((one) => (one === 'null' ? { type: one } : { type: one, ...rest })) };
}

function lean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lean);
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([key, inner]) => !isRepetition(key, inner, value as Json));
  return Object.fromEntries(kept.map(([key, inner]) => [key, lean(inner)]));
}

/** A pattern beside the format that it spells out, the bounds of every whole number, what names of a map are, and words of others. */
function isRepetition(key: string, value: unknown, { format, type }: Json): boolean {
  // For the Kubernetes API alone, with which some schemas are shared: strict validators refuse words that they do not know.
  if (key.startsWith('x-kubernetes-')) return true;
  if (key === 'pattern') return typeof value === 'string' && format !== undefined;
  if (key === 'minimum' || key === 'maximum') return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
  // Which names a map takes stands in its description: some models refuse a list of tools that has the keyword.
  return key === 'propertyNames' && type === 'object';
}
