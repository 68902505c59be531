import { z } from 'zod';
import { invalidInput } from './errors.ts';

const detail = z.enum(['compact', 'full']).default('compact').describe('compact: nothing empty, long texts cut.');

/** `detail` of lists whose records are long. Source: catalog conventions. */
export const detailParam = { detail };

/** `detail` and `fields`, where callers look for some fields of long records. Source: catalog conventions. */
export const detailParams = {
  detail,
  fields: z.array(z.string().max(40)).max(40).optional().describe('Only these fields of each record, beside its id.'),
};

/** What a caller wants to see of each record. */
export interface WantedDetail {
  detail: 'compact' | 'full';
  fields?: readonly string[] | undefined;
}

/** How a kind of record is shortened. */
export interface CompactForm {
  id: string;
  /** All fields of the full record. */
  known: readonly string[];
  /** Those that a compact one has, where they are not empty. */
  kept: readonly string[];
  /** How fields are shortened that are no plain texts, or that have less room than others. */
  short?: Readonly<Record<string, (value: never) => unknown>>;
}

type Json = Record<string, unknown>;

/** Longest text of a compact record, characters: 25 records fit 8 kB. */
const LONGEST = 60;

/**
 * How each record of an answer is shown.
 * @throws UserError when a field is named that the record has not
 */
export function shaper(form: CompactForm, { detail, fields }: WantedDetail): (record: object) => Json {
  const unknown = fields?.find((name) => !form.known.includes(name));
  if (unknown !== undefined) throw invalidInput('fields', `has no "${unknown}"; there are ${form.known.join(', ')}`);
  if (fields !== undefined) return (record) => only(record, [form.id, ...fields]);
  if (detail === 'full') return (record) => ({ ...record });
  return (record) => only(record, [form.id, ...form.kept], (value, name) => shortened(form, name, value));
}

function only(record: object, names: readonly string[], as = (value: unknown, _name: string): unknown => value): Json {
  const entries = [...new Set(names)].map((name) => [name, as((record as Json)[name], name)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function shortened(form: CompactForm, name: string, value: unknown): unknown {
  if (isEmpty(value)) return undefined;
  const short = form.short?.[name] as ((value: unknown) => unknown) | undefined;
  const shown = short ? short(value) : value;
  if (typeof shown === 'string') return cut(shown.replace(FRACTION, 'Z'));
  return isEmpty(shown) ? undefined : shown;
}

/** Of a time: nobody reads a page of records for its milliseconds. */
const FRACTION = /(?<=^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/;

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (typeof value !== 'object') return false;
  return Object.keys(value).length === 0;
}

/** A text of at most so many characters; one that was cut ends in an ellipsis. */
export function cut(text: string, longest = LONGEST): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).trimEnd()}…`;
}

/** What of an object is neither empty nor zero. */
export function telling(record: object): Json {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isEmpty(value) && value !== 0));
}
