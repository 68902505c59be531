import { z } from 'zod';
import { invalidInput } from './errors.ts';

/** `detail` and `fields` of lists whose records are long. Source: catalog conventions. */
export const detailParams = {
  detail: z.enum(['compact', 'full']).default('compact').describe('compact: who it is, and nothing that is empty.'),
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
  return (record) => only(record, [form.id, ...form.kept], shortened);
}

function only(record: object, names: readonly string[], as = (value: unknown): unknown => value): Json {
  const entries = [...new Set(names)].map((name) => [name, as((record as Json)[name])] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** A long text is cut; what is empty is left out. */
function shortened(value: unknown): unknown {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value !== 'string' || value.length <= LONGEST) return value;
  return `${value.slice(0, LONGEST - 1)}…`;
}
