import { example, type Schema } from './violations.ts';

/** A repeatable source of numbers from 0 to 1. */
export type Random = () => number;

/** @param seed draws the same again */
export function randomOf(seed: number): Random {
  let state = (seed * 104_729) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2026-01-01T00:00:00Z', '2026-01-01t00:00:00.5z', '2026-01-01T00:00:00+05:30'],
  '@': ['a@b', 'ann@example.com'],
  'A-Z': ['DE', 'US'],
  's|m|h': ['5m', '1h30m', '0s'],
  '-a-z0-9': ['a', 'a-b', '9'],
};
const ODD_TEXTS = [
  ...[
    '',
    ' ',
    'A',
    'ä',
    '-a',
    'a-',
    'a\n',
    '\na',
    'a\u00a0b@c',
    'a\u2028@c',
    'a\u000b@c',
    'a@@b',
    'a b@c',
    'DE ',
    'de',
    'ＤＥ',
  ],
  ...[
    '5m ',
    '5',
    '5d',
    '2026-01-01',
    '2026-01-01 00:00:00Z',
    'Nov 1 2026',
    '2026-01-01T00:00Z',
    '2026-02-30T00:00:00Z',
  ],
  ...['2026-01-01T24:00:00Z', '2026-01-01T00:00:60Z', '2026-01-01T00:00:00'],
];
const ODD_VALUES: readonly unknown[] = [null, 5, 'x', true, {}, [], 1.5, -1];

/** A value that a schema mostly takes, at its bounds; a share `odd` of its parts is just beyond them, or of another type. */
export function nearBorders(schema: Schema & { format?: string }, random: Random, odd: number): unknown {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  // A text has many ways to be odd.
  const beyond = random() < (schema.type === 'string' ? odd * 2 : odd);
  if (beyond && random() < 0.3) return pick(ODD_VALUES);
  if (schema['x-kubernetes-int-or-string']) return pick(beyond ? [-1, 1.5, '', 'x'.repeat(21), true] : [0, 1, '250m']);
  if (schema.enum) return beyond ? `${String(schema.enum[0])} ` : pick(schema.enum);
  if (schema.type === 'string') return textNear(schema, beyond, pick);
  if (schema.type === 'integer' || schema.type === 'number') {
    const { minimum: low = 0, maximum: high = 100 } = schema;
    return pick(beyond ? [low - 1, high + 1, low + 0.5, high + 0.0001] : [low, high, Math.floor((low + high) / 2)]);
  }
  if (schema.type === 'array') {
    const { items = {}, minItems = 0, maxItems = 5 } = schema;
    const length = pick(beyond ? [minItems - 1, maxItems, maxItems + 1] : [Math.max(1, minItems), 2]);
    return Array.from({ length: Math.max(0, length) }, () => nearBorders(items, random, length > 5 ? 0 : odd));
  }
  if (schema.type !== 'object') return random() < 0.5;
  if (schema['x-kubernetes-preserve-unknown-fields']) return pick([{}, { a: { b: [1, 'x', null] } }, { none: null }]);
  return objectNear(schema, random, odd, beyond);
}

/** Each odd text in each place of a text, in values that are fine otherwise. */
export function* oddTexts(schema: Schema, wrap: (value: unknown) => unknown = (value) => value): Generator<unknown> {
  if (schema['x-kubernetes-preserve-unknown-fields']) return;
  if (schema.type === 'string' && !schema.enum) for (const text of ODD_TEXTS) yield wrap(text);
  const whole = schema.type === 'object' ? (example(schema) as Record<string, unknown>) : {};
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    yield* oddTexts(inner, (value) => wrap({ ...whole, [name]: value }));
  const { items, additionalProperties: extra } = schema;
  if (items) yield* oddTexts(items, (value) => wrap([value]));
  if (typeof extra === 'object') yield* oddTexts(extra, (value) => wrap({ k: value }));
}

function textNear(schema: Schema & { format?: string }, beyond: boolean, pick: <T>(from: readonly T[]) => T): string {
  const { format = '', pattern = '', minLength = 0, maxLength = 20 } = schema;
  if (beyond)
    return pick([...ODD_TEXTS, '😀'.repeat(maxLength), '😀'.repeat(maxLength + 1), 'a'.repeat(maxLength + 1)]);
  const known = Object.keys(TEXTS).find((key) => format === key || (pattern !== '' && pattern.includes(key)));
  return pick(known ? (TEXTS[known] ?? []) : ['a'.repeat(Math.max(1, minLength)), 'a'.repeat(maxLength), 'Ab c']);
}

function objectNear(schema: Schema, random: Random, odd: number, beyond: boolean): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties: extra } = schema;
  if (typeof extra === 'object') {
    const count = beyond ? (schema.maxProperties ?? 5) + 1 : Math.floor(random() * 3);
    return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, nearBorders(extra, random, odd)]));
  }
  const chosen = Object.entries(properties).filter(([name]) => random() >= (required.includes(name) ? odd : 0.45));
  const entries = chosen.map(([name, inner]) => [name, nearBorders(inner, random, odd)] as const);
  return Object.fromEntries(beyond ? [...entries, ['extra', example({ type: 'boolean' })]] : entries);
}
