import type { z } from 'zod';
import { UserError } from '../base/errors.ts';
import { knownFields } from './known-fields.ts';

/**
 * Parses a tool's arguments strictly; those that were not given are an empty object. Null for an optional one counts as not
 * given, as frameworks that fill in every parameter mean it.
 * @param updates the tool leaves what is not given as it is, so there null might mean to clear it: it is refused with how to
 * @throws UserError `Invalid input: <path>: <cause>[; <path>: <cause>]` (specification, Errors)
 */
export function validateInput<T extends z.ZodType>(schema: T, value: unknown, updates = false): z.output<T> {
  const text = findBadText(value, '');
  if (text !== undefined) throw new UserError(`Invalid input: ${text}`);
  const given = value ?? {};
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const nulls = issues.filter(isNullGiven);
  if (nulls.length === 0) throw refusalOf(issues.map((issue) => causeOf(schema, issue)));
  const without = withoutThese(given, nulls);
  const again = schema.safeParse(without, { reportInput: true });
  const left = again.success ? [] : again.error.issues;
  // One that is required is no more there without its null.
  const optional = nulls.filter((issue) => !left.some((other) => samePath(issue, other)));
  if (updates && optional.length > 0) throw refusalOf(optional.map((issue) => howToClear(schema, without, issue)));
  if (again.success) return again.data;
  throw refusalOf(left.map((issue) => causeOf(schema, nulls.find((other) => samePath(issue, other)) ?? issue)));
}

function refusalOf(causes: readonly string[]): UserError {
  return new UserError(`Invalid input: ${fitting(causes).join('; ')}`);
}

/** Issues that a field which was not given makes: of a type, of an enum, of a choice of types. */
const MISSING_CODES: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

function causeOf(schema: z.ZodType, issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = knownFields(schema, issue.path);
    const names = issue.keys.map((key) => (path === '' ? clean(key) : `${path}.${clean(key)}`));
    return `${names.map((name) => `${name}: unknown field`).join('; ')}${known === undefined ? '' : ` (known: ${known})`}`;
  }
  if (MISSING_CODES.has(issue.code) && issue.input === undefined) return `${path || 'input'}: is required`;
  return `${path || 'input'}: ${plainCause(issue.message)}`;
}

/** Without the words with which the whole refusal begins. */
function plainCause(message: string): string {
  if (message === 'Invalid input') return 'is none of the forms that it may have';
  return message.replace(/^Invalid input: /, '');
}

/** How a schema's own message begins where null would be a mistake: leaving the field out means something else. */
const OWN_WORDS = 'null is no ';

/** Null stands where its field takes none; an element of a list is no field that might be left out. */
function isNullGiven({ code, input, path, message }: z.core.$ZodIssue): boolean {
  if (message.startsWith(OWN_WORDS)) return false;
  return input === null && typeof path.at(-1) === 'string' && MISSING_CODES.has(code ?? '');
}

function samePath(one: z.core.$ZodIssue, other: z.core.$ZodIssue): boolean {
  return one.path.length === other.path.length && one.path.every((step, at) => step === other.path[at]);
}

/** The first causes, as many as a caller reads: ten, and a page of text. */
function fitting(causes: readonly string[]): string[] {
  let room = MOST_TEXT;
  return causes.slice(0, MOST_CAUSES).filter((cause, index) => {
    room -= cause.length;
    return index === 0 || room > 0;
  });
}

/** A copy without the fields of these issues. */
function withoutThese(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const copy = structuredClone(value);
  for (const { path } of issues) delete holderOf(copy, path)[String(path.at(-1))];
  return copy;
}

/** What a path's last step is a field of; it was walked there before. */
function holderOf(value: unknown, path: readonly PropertyKey[]): Record<PropertyKey, unknown> {
  let holder = value as Record<PropertyKey, unknown>;
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<PropertyKey, unknown>;
  return holder;
}

/** What clears an optional field, tried in this order. Source: catalog conventions (PATCH semantics). */
const EMPTY: readonly (readonly [unknown, string])[] = [
  ['', 'Send "" to clear it'],
  [[], 'Send [] to empty it'],
];

function howToClear(schema: z.ZodType, value: unknown, issue: z.core.$ZodIssue): string {
  const how = EMPTY.find(([empty]) => {
    const copy = structuredClone(value);
    holderOf(copy, issue.path)[String(issue.path.at(-1))] = empty;
    const parsed = schema.safeParse(copy);
    return parsed.success || !parsed.error.issues.some((other) => samePath(issue, other));
  });
  const clears = how ? `${how[1]}, or leave it out to keep it` : 'It can not be cleared: leave it out to keep it';
  return `${issue.path.map(String).join('.')}: null is no value of it. ${clears}`;
}

function clean(name: string): string {
  const shown = name.replace(/[\p{Cc}\p{Cs}]/gu, '?');
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
}

/** Levels of nesting; graphs and custom maps need ten. */
const MAX_DEPTH = 40;
const MOST_CAUSES = 10;
/** Characters. */
const MOST_TEXT = 2_000;

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
