import { Environment } from '@marcbachmann/cel-js';
import type { Fields, Schema } from './types.ts';

type Program = (context: Record<string, unknown>) => unknown;

const ENVIRONMENT = new Environment({ enableOptionalTypes: true })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn');
const OPTIONAL = new Environment({ enableOptionalTypes: true }).registerVariable('it', 'dyn');
const someOf = OPTIONAL.parse('optional.of(it)') as Program;
const none = OPTIONAL.parse('optional.none()') as Program;

/** Compiled rules by text; bounded because texts come from definitions, which are few. */
const programs = new Map<string, Program>();
const MAX_PROGRAMS = 2_000;

/** Why a rule can't be compiled or uses a function that is lacking here; undefined when it is fine. */
export function celProblem(rule: string): string | undefined {
  try {
    const checked = ENVIRONMENT.check(withDynamicOld(rule)) as { valid: boolean; error?: Error };
    return checked.valid ? undefined : (checked.error?.message.split('\n')[0] ?? 'does not compile');
  } catch (error) {
    return (error as Error).message;
  }
}

/** Evaluates an expression. @throws Error when it fails at run time */
export function evaluateCel(rule: string, context: { self: unknown; oldSelf: unknown }): unknown {
  const program = programs.get(rule) ?? (ENVIRONMENT.parse(withDynamicOld(rule)) as Program);
  if (programs.size >= MAX_PROGRAMS) programs.clear();
  programs.set(rule, program);
  return program(context);
}

/** The optional form of the old value (`optionalOldSelf`). */
export function optionalCel(value: unknown): unknown {
  return value === undefined ? none({}) : someOf({ it: value });
}

/** The value as CEL sees it: integers are BigInt, numbers doubles, times timestamps. */
export function toCel(value: unknown, schema?: Schema): unknown {
  if (typeof value === 'number') return Number.isInteger(value) && schema?.type !== 'number' ? BigInt(value) : value;
  if (typeof value === 'string' && schema?.format === 'date-time') return new Date(value);
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items));
  if (value === null || typeof value !== 'object') return value ?? null;
  const extra = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const entries = Object.entries(value as Fields);
  return Object.fromEntries(entries.map(([key, inner]) => [key, toCel(inner, schema?.properties?.[key] ?? extra)]));
}

/** The library compares the content of an optional with a number only when it is declared dynamic. */
function withDynamicOld(rule: string): string {
  return rule.replaceAll('oldSelf.value()', 'dyn(oldSelf.value())');
}
