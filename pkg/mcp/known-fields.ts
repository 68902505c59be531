import { z } from 'zod';

/** Names that a refusal lists. */
const MOST = 30;

/**
 * The fields that an object inside of a schema takes, as a refusal lists them; undefined where the schema does not say it in one way.
 * @param path of the object, from the whole input
 */
export function knownFields(schema: z.ZodType, path: readonly PropertyKey[]): string | undefined {
  const [step, ...rest] = path;
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray)
    return step === undefined ? undefined : knownFields(inner.element as z.ZodType, rest);
  if (inner instanceof z.ZodRecord)
    return step === undefined ? undefined : knownFields(inner.valueType as z.ZodType, rest);
  if (!(inner instanceof z.ZodObject)) return undefined;
  const shape: Readonly<Record<string, z.ZodType>> = inner.shape;
  if (step !== undefined) {
    const field = Object.hasOwn(shape, step) ? shape[String(step)] : undefined;
    return field && knownFields(field, rest);
  }
  const names = Object.keys(shape);
  if (names.length === 0) return 'none';
  return names.length > MOST ? `${names.slice(0, MOST).join(', ')} …` : names.join(', ');
}

/** Without what only says that a value may be missing, or what becomes of it. */
function unwrapped(schema: z.ZodType): z.ZodType {
  let inner = schema;
  for (;;) {
    if (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable)
      inner = inner.unwrap() as z.ZodType;
    else if (inner instanceof z.ZodPrefault || inner instanceof z.ZodReadonly) inner = inner.unwrap() as z.ZodType;
    else if (inner instanceof z.ZodPipe) inner = inner.in as z.ZodType;
    else return inner;
  }
}
