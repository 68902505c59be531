import type { Tx } from '../../postgres/database.ts';
import { type AnswerKey, dropAnswer, storeAnswer, takeAnswer } from '../../store/idempotency/answers.ts';
import { withoutSecrets } from '../without-secrets.ts';
import type { CallKey } from './call-key.ts';
import { keyReused } from './key-reused.ts';
import type { Repeatable } from './repeatable.ts';

/** Which call a record is about. */
export interface RecordOf {
  workspaceId: string;
  call: CallKey;
}

/** Work that is done once. */
export interface OnceWork<T extends object> {
  work(tx: Tx): Promise<T>;
  /** Whether an earlier answer still holds; when not, the call begins anew. */
  stands(tx: Tx, earlier: T): Promise<boolean>;
}

/**
 * Runs `work` once per key: its result is stored in the same transaction and returned again while it is kept and holds.
 * @throws UserError when the key was used with other input
 */
export async function runOnce<T extends object>(tx: Tx, record: RecordOf, { work, stands }: OnceWork<T>): Promise<T> {
  const earlier = await openRecord<T>(tx, record);
  if (earlier && (await stands(tx, earlier))) return earlier;
  const result = await work(tx);
  await storeAnswer(tx, placeOf(record), withoutSecrets(result), earlier !== undefined);
  return result;
}

/**
 * As `runOnce`, for work that joins or extends what an earlier call without a key began. Under a key the first answer is returned.
 * @throws UserError when a key was used with other input
 */
export async function runRepeatable<T extends object>(
  tx: Tx,
  record: RecordOf,
  { work, did }: Repeatable<T>,
): Promise<T> {
  const earlier = await openRecord<T>(tx, record);
  if (earlier && !record.call.natural) return earlier;
  const result = await work(tx, earlier);
  const place = placeOf(record);
  if (record.call.natural && !did(result)) await dropAnswer(tx, place);
  else await storeAnswer(tx, place, withoutSecrets(result), false);
  return result;
}

/** Takes the record of a call and holds it to the end of the transaction. @returns the answer that is kept, if there is one */
async function openRecord<T extends object>(tx: Tx, record: RecordOf): Promise<T | undefined> {
  const kept = await takeAnswer(tx, placeOf(record), record.call);
  if (kept && kept.inputHash !== record.call.inputHash) throw keyReused();
  return (kept?.result as T | null | undefined) ?? undefined;
}

function placeOf({ workspaceId, call }: RecordOf): AnswerKey {
  return { workspaceId, tool: call.tool, key: call.key };
}
