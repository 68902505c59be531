import { z } from 'zod';

type Json = Record<string, unknown>;

/** JSON Schema of what a tool takes or answers, without what says the same twice: a model pays for each byte of tools/list. */
export function leanSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return lean(rest) as Json;
}

function lean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lean);
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([key, inner]) => !isRepetition(key, inner, value as Json));
  return Object.fromEntries(kept.map(([key, inner]) => [key, lean(inner)]));
}

/** A pattern beside the format that it spells out, the bounds of every whole number, and that names are texts. */
function isRepetition(key: string, value: unknown, { format, type }: Json): boolean {
  if (key === 'pattern') return typeof value === 'string' && format !== undefined;
  if (key === 'minimum' || key === 'maximum') return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
  return key === 'propertyNames' && type === 'object' && JSON.stringify(value) === '{"type":"string"}';
}
