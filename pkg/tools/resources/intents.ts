import { createHash } from 'node:crypto';
import { UserError } from '../../base/errors.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';
import { withoutSecrets } from '../without-secrets.ts';

/** Which write an intent belongs to. */
export interface IntentKey {
  workspaceId: string;
  tool: string;
  /** Idempotency key, natural key, or a random one when the call can't be repeated. */
  key: string;
  /** How long the key is this write's, real seconds; absent: as long as its answer is kept. */
  keepSeconds?: number | undefined;
}

/** A write that began: the name that its object has or will have, and the stored answer when it was finished. */
export interface Intent {
  objectName: string;
  /** The row was there before: an earlier try may have got anywhere. */
  resumed: boolean;
  result: object | null;
}

type Row = { object_name: string; state: string; result: object | null; input_hash: string };

/**
 * Records the intent, or finds the one of an earlier try.
 * @throws UserError when the key was used with other input
 */
export async function openIntent(tx: Tx, key: IntentKey, objectName: string, input: unknown): Promise<Intent> {
  const hash = createHash('sha256').update(canonicalJson(input)).digest('hex');
  if (key.keepSeconds !== undefined) await forgetOlder(tx, key, key.keepSeconds);
  const made = await tx.exec(
    `insert into intent (workspace_id, tool, intent_key, object_name, input_hash) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [key.workspaceId, key.tool, key.key, objectName, hash],
  );
  if (made > 0) return { objectName, resumed: false, result: null };
  const row = await readIntent(tx, key);
  if (!row) throw new Error('an intent was there and is gone');
  if (row.input_hash !== hash) {
    throw new UserError(
      'Invalid input: idempotencyKey: was used with other input. Use a new key.',
      'IdempotencyKeyReused',
    );
  }
  return { objectName: row.object_name, resumed: true, result: row.state === 'done' ? row.result : null };
}

/** A key that stands for a short time is another write's afterwards. */
async function forgetOlder(tx: Tx, key: IntentKey, seconds: number): Promise<void> {
  await tx.exec(
    'delete from intent where workspace_id = $1 and tool = $2 and intent_key = $3 and created_at < clock_timestamp() - make_interval(secs => $4)',
    [key.workspaceId, key.tool, key.key, seconds],
  );
}

/** Holds the intent for the last step; returns the stored answer when another try finished it meanwhile. */
export async function lockIntent(tx: Tx, key: IntentKey): Promise<object | null> {
  const row = await readIntent(tx, key, 'for update');
  return row?.state === 'done' ? row.result : null;
}

/** Stores the answer, in the transaction of the projection. */
export async function closeIntent(tx: Tx, key: IntentKey, result: object): Promise<void> {
  await tx.exec(
    `update intent set state = 'done', result = $4 where workspace_id = $1 and tool = $2 and intent_key = $3`,
    [key.workspaceId, key.tool, key.key, JSON.stringify(withoutSecrets(result))],
  );
}

/** Forgets an intent whose object was refused, so that the call may be made again with other input. */
export async function dropIntent(tx: Tx, key: IntentKey): Promise<void> {
  await tx.exec(`delete from intent where workspace_id = $1 and tool = $2 and intent_key = $3 and state = 'started'`, [
    key.workspaceId,
    key.tool,
    key.key,
  ]);
}

function readIntent(tx: Tx, key: IntentKey, lock = ''): Promise<Row | undefined> {
  return tx.row<Row>(
    `select object_name, state, result, input_hash from intent
     where workspace_id = $1 and tool = $2 and intent_key = $3 ${lock}`,
    [key.workspaceId, key.tool, key.key],
  );
}
