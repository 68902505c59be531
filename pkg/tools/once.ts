import { createHash } from 'node:crypto';
import { UserError } from '../base/errors.ts';
import { canonicalJson } from '../base/json.ts';
import type { Tx } from '../postgres/database.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Which call an idempotency record is about. */
export interface OnceKey {
  workspaceId: string;
  tool: string;
  key: string;
  /** The whole input without the key. */
  input: unknown;
  /** How long the result is kept, real seconds; default seven days. */
  keepSeconds?: number | undefined;
}

const SEVEN_DAYS = 604_800;

/** Equal inputs give equal hashes, whatever the order of their fields. */
export function inputHash(input: unknown): string {
  return createHash('sha256').update(canonicalJson(input)).digest('hex');
}

/** The same key with other input. */
export function keyReused(): UserError {
  return new UserError(
    'Invalid input: idempotencyKey: was used with other input. Use a new key, or repeat the same input.',
    'IdempotencyMismatch',
  );
}

/**
 * Runs `work` once per key: its result is stored in the same transaction and returned again while it is kept.
 * @throws UserError when the key was used with other input
 */
export async function runOnce<T extends object>(tx: Tx, once: OnceKey, work: (tx: Tx) => Promise<T>): Promise<T> {
  const earlier = await openRecord<T>(tx, once);
  if (earlier) return earlier;
  const result = await work(tx);
  await keepResult(tx, once, result);
  return result;
}

/**
 * Takes the record of a key and holds it to the end of the transaction: who comes meanwhile waits for what it comes to.
 * @returns the result that is kept, if there is one
 * @throws UserError when the key was used with other input
 */
export async function openRecord<T extends object>(tx: Tx, once: OnceKey): Promise<T | undefined> {
  const hash = inputHash(once.input);
  const id = [once.workspaceId, once.tool, once.key];
  await tx.exec(
    'delete from idempotency where workspace_id = $1 and tool = $2 and idempotency_key = $3 and created_at < clock_timestamp() - make_interval(secs => $4)',
    [...id, once.keepSeconds ?? SEVEN_DAYS],
  );
  const fresh = await tx.exec(
    'insert into idempotency (workspace_id, tool, idempotency_key, input_hash) values ($1, $2, $3, $4) on conflict do nothing',
    [...id, hash],
  );
  if (fresh > 0) return undefined;
  const seen = await tx.row<{ input_hash: string; result: T | null }>(
    'select input_hash, result from idempotency where workspace_id = $1 and tool = $2 and idempotency_key = $3 for update',
    id,
  );
  if (seen?.input_hash !== hash) throw keyReused();
  return seen.result ?? undefined;
}

/** Stores what a call came to under the record that it holds; null: the record goes, and the next call is the first. */
export async function keepResult(tx: Tx, once: OnceKey, result: object | null): Promise<void> {
  const id = [once.workspaceId, once.tool, once.key];
  if (result === null) {
    await tx.exec('delete from idempotency where workspace_id = $1 and tool = $2 and idempotency_key = $3', id);
    return;
  }
  await tx.exec('update idempotency set result = $4 where workspace_id = $1 and tool = $2 and idempotency_key = $3', [
    ...id,
    JSON.stringify(withoutSecrets(result)),
  ]);
}
