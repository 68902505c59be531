import type { Tx } from '../../postgres/database.ts';
import {
  dropIntents,
  dropOlder,
  dropStarted,
  finishIntent,
  type IntentPlace,
  insertIntent,
  readIntent,
  renameIntent,
} from '../../store/idempotency/intents.ts';
import { withoutSecrets } from '../without-secrets.ts';
import type { IntentKey } from './intent-key.ts';
import { partsOf } from './key-of-call.ts';
import { keyReused } from './key-reused.ts';

/** A write that began: the name that its object has or will have, and the stored answer when it was finished. */
export interface Intent {
  objectName: string;
  /** The row was there before: an earlier try may have got anywhere. */
  resumed: boolean;
  result: object | null;
}

/**
 * Records the intent, or finds the one of an earlier try. Written before the object is applied, so that a retry after a crash goes on with
 * the same object. The parts of a call live as long as its first object's.
 * @throws UserError when the key was used with other input
 */
export async function openIntent(tx: Tx, key: IntentKey, objectName: string): Promise<Intent> {
  const { call, part } = key;
  const place = placeOf(key);
  if (part === null && (await dropOlder(tx, place, call.keepSeconds))) await dropParts(tx, key);
  if (await insertIntent(tx, place, { objectName, inputHash: call.inputHash })) {
    return { objectName, resumed: false, result: null };
  }
  const row = await readIntent(tx, place);
  if (!row) throw new Error('an intent was there and is gone');
  if (row.inputHash !== call.inputHash) throw keyReused();
  return { objectName: row.objectName, resumed: true, result: row.state === 'done' ? row.result : null };
}

/**
 * The object of the intent is gone: the call begins anew, with its other objects.
 * @returns what to go on with; another call may have begun anew meanwhile
 */
export async function renewIntent(tx: Tx, key: IntentKey, gone: Intent, objectName: string): Promise<Intent> {
  const renamed = await renameIntent(tx, placeOf(key), { from: gone.objectName, to: objectName });
  if (!renamed) return openIntent(tx, key, objectName);
  if (key.part === null) await dropParts(tx, key);
  return { objectName, resumed: false, result: null };
}

/**
 * Holds the intent for the last step; returns the stored answer when another try finished it meanwhile.
 * @throws Error when the call began anew with another object meanwhile
 */
export async function lockIntent(tx: Tx, key: IntentKey, { objectName }: Intent): Promise<object | null> {
  const row = await readIntent(tx, placeOf(key), true);
  if (row && row.objectName !== objectName) throw new Error('the same call began anew meanwhile');
  return row?.state === 'done' ? row.result : null;
}

/** Stores the answer, in the transaction of the projection. */
export async function closeIntent(tx: Tx, key: IntentKey, result: object): Promise<void> {
  await finishIntent(tx, placeOf(key), withoutSecrets(result));
}

/** Forgets an intent whose object was refused, so that the call may be made again with other input. */
export async function dropIntent(tx: Tx, key: IntentKey): Promise<void> {
  await dropStarted(tx, placeOf(key));
}

/** Forgets every intent of a call that were there at `until`, real time as the database writes it. */
export async function forgetIntents(
  tx: Tx,
  { workspaceId, call }: Pick<IntentKey, 'workspaceId' | 'call'>,
  until: string,
): Promise<void> {
  await dropIntents(tx, { workspaceId, tool: call.tool, key: call.key, parts: partsOf(call.key), until });
}

async function dropParts(tx: Tx, { workspaceId, call }: IntentKey): Promise<void> {
  await dropIntents(tx, { workspaceId, tool: call.tool, parts: partsOf(call.key) });
}

function placeOf({ workspaceId, call, part }: IntentKey): IntentPlace {
  const key = part === null ? call.key : `${partsOf(call.key)}#${part}`;
  return { workspaceId, tool: call.tool, key };
}
