import { isDeepStrictEqual } from 'node:util';
import { evaluateCel, optionalCel, toCel } from './cel.ts';
import { fieldSchema, ownField } from './own-field.ts';
import type { Cause } from './status.ts';
import type { CelRule, Fields, Schema } from './types.ts';

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

const EMBEDDED = new Set(['apiVersion', 'kind', 'metadata']);

/** Removes fields that the schema does not know, in place. @returns their paths */
export function prune(value: unknown, schema: Schema, path = '', root = true): string[] {
  if (schema['x-kubernetes-preserve-unknown-fields'] && !schema.properties) return [];
  if (Array.isArray(value)) {
    const items = schema.items;
    return items ? value.flatMap((item, index) => prune(item, items, `${path}[${index}]`, false)) : [];
  }
  if (!isObject(value)) return [];
  const removed: string[] = [];
  for (const [key, inner] of Object.entries(value)) {
    if (root && EMBEDDED.has(key)) continue;
    const known =
      fieldSchema(schema, key) ??
      (isObject(schema.additionalProperties) ? (schema.additionalProperties as Schema) : undefined);
    const at = path === '' ? key : `${path}.${key}`;
    if (known) removed.push(...prune(inner, known, at, false));
    else if (!schema['x-kubernetes-preserve-unknown-fields'] && schema.additionalProperties !== true) {
      delete value[key];
      removed.push(at);
    }
  }
  return removed;
}

/** Fills in defaults, in place, as deep as objects are present. */
export function applyDefaults(value: unknown, schema: Schema): void {
  if (Array.isArray(value)) {
    for (const item of value) if (schema.items) applyDefaults(item, schema.items);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    defaultField(value, key, inner);
    if (Object.hasOwn(value, key)) applyDefaults(value[key], inner);
  }
  const extra = schema.additionalProperties;
  if (!isObject(extra)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (fieldSchema(schema, key)) continue;
    if (inner === null && !(extra as Schema).nullable) delete value[key];
    else applyDefaults(inner, extra as Schema);
  }
}

/** A null that may not be null counts as absent. */
function defaultField(holder: Fields, key: string, schema: Schema): void {
  if (holder[key] === null && !schema.nullable) delete holder[key];
  if (holder[key] === undefined && schema.default !== undefined) holder[key] = structuredClone(schema.default);
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function typeFits(value: unknown, schema: Schema): boolean {
  const type = typeOf(value);
  if (schema['x-kubernetes-int-or-string']) return type === 'integer' || type === 'string';
  if (type === 'null') return schema.nullable === true;
  return schema.type === undefined || schema.type === type || (schema.type === 'number' && type === 'integer');
}

/** Whether a write leaves a value as it was: what it breaks since a definition was changed is then borne. */
function unchanged(value: unknown, old: unknown): boolean {
  return old !== undefined && isDeepStrictEqual(value, old);
}

/** The value before, of what stands in a list now; items of lists without keys are not known again. */
function itemBefore(item: unknown, old: unknown, schema: Schema): unknown {
  const key = listKey(item, schema);
  return key === undefined || !Array.isArray(old) ? undefined : old.find((entry) => listKey(entry, schema) === key);
}

/**
 * Checks a value.
 * @param old the value before, in an update: what it does not change is not refused (CRDValidationRatcheting)
 * @returns causes, empty when it is valid
 */
export function validate(value: unknown, schema: Schema, path: string, old?: unknown): Cause[] {
  if (unchanged(value, old)) return [];
  if (!typeFits(value, schema)) {
    const message = `Invalid value: ${quote(value)}: ${path} in body must be of type ${schema.type}: "${typeOf(value)}"`;
    return [{ reason: 'FieldValueTypeInvalid', message, field: path }];
  }
  const causes: Cause[] = [];
  const bad = (message: string, reason = 'FieldValueInvalid'): void => {
    causes.push({ reason, message, field: path });
  };
  if (schema.enum && !schema.enum.some((entry) => JSON.stringify(entry) === JSON.stringify(value))) {
    bad(
      `Unsupported value: ${quote(value)}: supported values: ${schema.enum.map((entry) => JSON.stringify(entry)).join(', ')}`,
      'FieldValueNotSupported',
    );
  }
  if (typeof value === 'string') checkString(value, schema, path, bad);
  if (typeof value === 'number') checkNumber(value, schema, path, bad);
  if (Array.isArray(value)) causes.push(...checkArray(value, schema, path, bad, old));
  if (isObject(value)) causes.push(...checkObject(value, schema, path, bad, old));
  for (const part of schema.allOf ?? []) causes.push(...validate(value, part, path));
  if (schema.anyOf && !schema.anyOf.some((part) => validate(value, part, path).length === 0))
    bad(`Invalid value: ${quote(value)}: must validate at least one schema (anyOf)`);
  if (schema.oneOf && schema.oneOf.filter((part) => validate(value, part, path).length === 0).length !== 1)
    bad(`Invalid value: ${quote(value)}: must validate one and only one schema (oneOf)`);
  if (schema.not && validate(value, schema.not, path).length === 0)
    bad(`Invalid value: ${quote(value)}: must not validate the schema (not)`);
  return causes;
}

type Bad = (message: string, reason?: string) => void;

function checkString(value: string, schema: Schema, path: string, bad: Bad): void {
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength)
    bad(`Too long: may not be more than ${schema.maxLength} bytes`, 'FieldValueTooLong');
  if (schema.minLength !== undefined && length < schema.minLength)
    bad(`Invalid value: ${quote(value)}: ${path} in body should be at least ${schema.minLength} chars long`);
  if (schema.pattern !== undefined && !goPattern(schema.pattern).test(value))
    bad(`Invalid value: ${quote(value)}: ${path} in body should match '${schema.pattern}'`);
  if (schema.format === 'date-time' && !isDateTime(value))
    bad(
      `Invalid value: ${quote(value)}: ${path} in body must be of type date-time: ${quote(value)}`,
      'FieldValueTypeInvalid',
    );
}

/** RFC 3339 with seconds and a zone; `Date.parse` takes much more. */
function isDateTime(value: string): boolean {
  const [, date = '', hour, minute, second] =
    /^(\d{4}-\d{2}-\d{2})t(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/i.exec(value) ?? [];
  const day = Date.parse(date);
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) return false;
  return Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59;
}

/** A pattern as a real server (Go) reads it: there white space is of ASCII only, without the vertical tab. */
function goPattern(pattern: string): RegExp {
  const spaces = '\\t\\n\\f\\r ';
  const inClass = /\[(?:\\.|[^\]\\])*\]/g;
  const classes = pattern.replace(inClass, (text) => text.replace(/\\(.)/g, (all, c) => (c === 's' ? spaces : all)));
  const others = classes.replace(/\[(?:\\.|[^\]\\])*\]|\\(.)/g, (all, c) =>
    c === 's' ? `[${spaces}]` : c === 'S' ? `[^${spaces}]` : all,
  );
  return new RegExp(others, 'u');
}

function checkNumber(value: number, schema: Schema, path: string, bad: Bad): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    bad(
      `Invalid value: ${value}: ${path} in body should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`,
    );
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    bad(
      `Invalid value: ${value}: ${path} in body should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`,
    );
  if (multipleOf !== undefined && value % multipleOf !== 0)
    bad(`Invalid value: ${value}: ${path} in body should be a multiple of ${multipleOf}`);
}

function checkArray(value: unknown[], schema: Schema, path: string, bad: Bad, old: unknown): Cause[] {
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    bad(`Too many: ${value.length}: must have at most ${schema.maxItems} items`, 'FieldValueTooMany');
  if (schema.minItems !== undefined && value.length < schema.minItems)
    bad(`Invalid value: ${value.length}: ${path} in body should have at least ${schema.minItems} items`);
  const keys = value.map((item) => listKey(item, schema));
  const doubles = keys.flatMap((key, index): Cause[] =>
    key === undefined || keys.indexOf(key) === index
      ? []
      : [{ reason: 'FieldValueDuplicate', message: `Duplicate value: ${key}`, field: `${path}[${index}]` }],
  );
  const items = schema.items;
  if (!items) return doubles;
  const checked = value.flatMap((item, index) =>
    validate(item, items, `${path}[${index}]`, itemBefore(item, old, schema)),
  );
  return [...doubles, ...checked];
}

/** Identity of a list item for set and map lists; undefined for atomic ones. */
export function listKey(item: unknown, schema: Schema): string | undefined {
  if (schema['x-kubernetes-list-type'] === 'set') return JSON.stringify(item);
  if (schema['x-kubernetes-list-type'] !== 'map' || !isObject(item)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, item[key]])));
}

function checkObject(value: Fields, schema: Schema, path: string, bad: Bad, old: unknown): Cause[] {
  const causes: Cause[] = [];
  const before = isObject(old) ? old : {};
  const size = Object.keys(value).length;
  if (schema.maxProperties !== undefined && size > schema.maxProperties)
    bad(`Too many: ${size}: must have at most ${schema.maxProperties} items`, 'FieldValueTooMany');
  if (schema.minProperties !== undefined && size < schema.minProperties)
    bad(`Invalid value: ${size}: ${path} in body should have at least ${schema.minProperties} properties`);
  for (const name of schema.required ?? []) {
    if (ownField(value, name) === undefined)
      causes.push({ reason: 'FieldValueRequired', message: 'Required value', field: join(path, name) });
  }
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const given = ownField(value, name);
    if (given !== undefined) causes.push(...validate(given, inner, join(path, name), ownField(before, name)));
  }
  const extra = schema.additionalProperties;
  if (isObject(extra)) {
    for (const [name, inner] of Object.entries(value))
      if (!fieldSchema(schema, name))
        causes.push(...validate(inner, extra as Schema, join(path, name), ownField(before, name)));
  }
  return causes;
}

/** Runs the CEL rules of a schema; transition rules (oldSelf) only where there is an old value. */
export function validateRules(value: unknown, old: unknown, schema: Schema, path: string): Cause[] {
  const causes = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) =>
    checkRule(rule, value, old, schema, path),
  );
  if (Array.isArray(value)) {
    const items = schema.items;
    if (!items) return causes;
    const inner = value.flatMap((item, index) =>
      validateRules(item, itemBefore(item, old, schema), items, `${path}[${index}]`),
    );
    return [...causes, ...inner];
  }
  if (!isObject(value)) return causes;
  const before = isObject(old) ? old : {};
  for (const [name, inner] of Object.entries(value)) {
    const extra = schema.additionalProperties;
    const known = fieldSchema(schema, name) ?? (isObject(extra) ? (extra as Schema) : undefined);
    if (known) causes.push(...validateRules(inner, ownField(before, name), known, join(path, name)));
  }
  return causes;
}

/** How the server begins what a rule says, by the rule's reason. */
function saidOf(reason: string | undefined, value: unknown): string {
  if (reason === 'FieldValueForbidden') return 'Forbidden';
  if (reason === 'FieldValueRequired') return 'Required value';
  const shown = isObject(value) ? '' : `: ${quote(value)}`;
  return `${reason === 'FieldValueDuplicate' ? 'Duplicate' : 'Invalid'} value${shown}`;
}

function checkRule(rule: CelRule, value: unknown, old: unknown, schema: Schema, path: string): Cause[] {
  const transition = /\boldSelf\b/.test(rule.rule);
  if (transition && old === undefined && !rule.optionalOldSelf) return [];
  if (!transition && unchanged(value, old)) return [];
  const before = old === undefined ? undefined : toCel(old, schema);
  const context = { self: toCel(value, schema), oldSelf: rule.optionalOldSelf ? optionalCel(before) : before };
  const field = rule.fieldPath ? `${path}${rule.fieldPath}` : path;
  const bad = (message: string): Cause[] => [
    { reason: rule.reason ?? 'FieldValueInvalid', message: `${saidOf(rule.reason, value)}: ${message}`, field },
  ];
  try {
    if (evaluateCel(rule.rule, context) === true) return [];
    if (!rule.messageExpression) return bad(rule.message ?? `failed rule: ${rule.rule}`);
    return bad(String(evaluateCel(rule.messageExpression, context)));
  } catch (error) {
    return bad(`rule "${rule.rule}" could not be evaluated: ${(error as Error).message}`);
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function quote(value: unknown): string {
  if (isObject(value)) return '"object"';
  const text = JSON.stringify(value) ?? 'null';
  return text.length > 80 ? `${text.slice(0, 77)}..."` : text;
}
