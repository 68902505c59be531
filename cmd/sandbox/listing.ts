import { type Call, Refusal } from './http.ts';

/** Where a list goes on: base64, because the official client checks that. */
export function readCursor(call: Call): number | null {
  const given = call.query.get('cursor');
  if (!given) return null;
  const value = Number(Buffer.from(given, 'base64').toString('utf8'));
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Refusal(400, 'invalid_parameters', 'cursor is not one of ours');
  return value;
}

export function writeCursor(position: number): string {
  return Buffer.from(String(position)).toString('base64');
}

/** `limit` of the query within 1 and 250. */
export function readLimit(call: Call): number {
  const given = call.query.get('limit');
  const limit = given === null ? 100 : Number(given);
  if (!Number.isInteger(limit) || limit < 1)
    throw new Refusal(400, 'invalid_parameters', 'limit must be a positive integer');
  return Math.min(limit, 250);
}

/** A required text of the query. */
export function required(call: Call, name: string): string {
  const value = call.query.get(name);
  if (!value || value.length > 200) throw new Refusal(400, 'missing_parameters', `${name} is missing`);
  return value;
}
