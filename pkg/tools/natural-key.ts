import { createHash } from 'node:crypto';
import type { Tx } from '../postgres/database.ts';
import { inputHash, keepResult, openRecord, runOnce } from './once.ts';

/** Without a key, the same call within this long, real seconds, is the same one. Source: catalog conventions (natural key). */
export const NATURAL_SECONDS = 60;

/** What stands for a call without a key. Longer than any key that a caller can give, so that the two never meet. */
export function naturalKey(input: object): string {
  return `natural:${createHash('sha512').update(inputHash(input)).digest('hex')}`;
}

/** Work that must not be done twice because an answer was lost. */
export interface Repeatable<T extends object> {
  /** `earlier`: what the same call came to within the last minute; what is returned becomes the answer of both. */
  work(tx: Tx, earlier: T | undefined): Promise<T>;
  /** Whether anything came of it. What did nothing is not kept: whoever mends the cause may call again at once. */
  did(result: T): boolean;
}

/** Which call; `key` is the caller's, if it gave one. */
export interface RepeatableCall {
  workspaceId: string;
  tool: string;
  key: string | undefined;
  /** The whole input without the key. */
  input: object;
}

/**
 * As `runOnce`, also without a key: then the same input within a minute is the same call, made again.
 * @throws UserError when a key was used with other input
 */
export async function runRepeatable<T extends object>(
  tx: Tx,
  { key, ...call }: RepeatableCall,
  { work, did }: Repeatable<T>,
): Promise<T> {
  if (key !== undefined) return runOnce(tx, { ...call, key }, (inner) => work(inner, undefined));
  const record = { ...call, key: naturalKey(call.input), keepSeconds: NATURAL_SECONDS };
  const earlier = await openRecord<T>(tx, record);
  const result = await work(tx, earlier);
  await keepResult(tx, record, did(result) ? result : null);
  return result;
}
