import type { z } from 'zod';
import { UserError } from '../base/errors.ts';

/**
 * Parses a tool's arguments strictly.
 * @throws UserError `Invalid input: <path>: <cause>[; <path>: <cause>]` (specification, Errors)
 */
export function validateInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const text = findBadText(value, '');
  if (text !== undefined) throw new UserError(`Invalid input: ${text}`);
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const causes = parsed.error.issues.slice(0, 10).map(causeOf);
  throw new UserError(`Invalid input: ${causes.join('; ')}`);
}

/** Issues that a field which was not given makes: of a type, of an enum, of a choice of types. */
const MISSING_CODES: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

function causeOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => (path === '' ? clean(key) : `${path}.${clean(key)}`));
    return names.map((name) => `${name}: unknown field`).join('; ');
  }
  if (MISSING_CODES.has(issue.code) && issue.input === undefined) return `${path || 'input'}: is required`;
  return `${path || 'input'}: ${issue.message}`;
}

function clean(name: string): string {
  const shown = name.replace(/[\p{Cc}\p{Cs}]/gu, '?');
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
}

/** Levels of nesting; graphs and custom maps need ten. */
const MAX_DEPTH = 40;

/** Text that no database column and no person can use: NUL bytes and lone surrogates. */
function findBadText(value: unknown, path: string, depth = 0): string | undefined {
  if (typeof value === 'string') {
    if (value.includes('\u0000')) return `${path || 'input'}: contains a NUL byte`;
    return value.isWellFormed() ? undefined : `${path || 'input'}: contains a lone surrogate`;
  }
  if (value === null || typeof value !== 'object') return undefined;
  if (depth >= MAX_DEPTH) return `${clean(path)}: is nested more than ${MAX_DEPTH} levels deep`;
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? clean(key) : `${path}.${clean(key)}`;
    if (key.includes('\u0000') || !key.isWellFormed()) return `${at}: is no usable field name`;
    const found = findBadText(inner, at, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
