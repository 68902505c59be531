import type { Tx } from '../../postgres/database.ts';

/** What an intent is kept under. */
export interface IntentPlace {
  workspaceId: string;
  tool: string;
  key: string;
}

/** A write of a resource that began. */
export interface IntentRow {
  /** The name that the object has or will have. */
  objectName: string;
  state: 'started' | 'done';
  result: object | null;
  inputHash: string;
}

const AT = 'workspace_id = $1 and tool = $2 and intent_key = app.kept_key($3)';

const placeOf = ({ workspaceId, tool, key }: IntentPlace): string[] => [workspaceId, tool, key];

/** Records that a write begins. @returns false when an earlier one is there */
export async function insertIntent(
  tx: Tx,
  place: IntentPlace,
  { objectName, inputHash }: { objectName: string; inputHash: string },
): Promise<boolean> {
  const made = await tx.exec(
    `insert into intent (workspace_id, tool, intent_key, object_name, input_hash)
     values ($1, $2, app.kept_key($3), $4, $5)
     on conflict do nothing`,
    [...placeOf(place), objectName, inputHash],
  );
  return made > 0;
}

/** @param lock holds it to the end of the transaction */
export function readIntent(tx: Tx, place: IntentPlace, lock = false): Promise<IntentRow | undefined> {
  return tx.row<IntentRow>(
    `select object_name as "objectName", state, result, input_hash as "inputHash" from intent
     where ${AT} ${lock ? 'for update' : ''}`,
    placeOf(place),
  );
}

/** Keeps the answer of a write that is done. */
export async function finishIntent(tx: Tx, place: IntentPlace, result: object): Promise<void> {
  await tx.exec(`update intent set state = 'done', result = $4 where ${AT}`, [
    ...placeOf(place),
    JSON.stringify(result),
  ]);
}

/** The write begins again for another object. @returns false when it is not about that object any more */
export async function renameIntent(
  tx: Tx,
  place: IntentPlace,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const renamed = await tx.exec(
    `update intent set object_name = $5, state = 'started', result = null, created_at = clock_timestamp()
     where ${AT} and object_name = $4`,
    [...placeOf(place), from, to],
  );
  return renamed > 0;
}

/** Forgets an intent that was not done. */
export async function dropStarted(tx: Tx, place: IntentPlace): Promise<void> {
  await tx.exec(`delete from intent where ${AT} and state = 'started'`, placeOf(place));
}

/** Forgets an intent that is older than so many real seconds. @returns whether there was one */
export async function dropOlder(tx: Tx, place: IntentPlace, seconds: number): Promise<boolean> {
  const dropped = await tx.exec(
    `delete from intent where ${AT} and created_at < clock_timestamp() - make_interval(secs => $4)`,
    [...placeOf(place), seconds],
  );
  return dropped > 0;
}

/** Which intents go. */
interface Dropped {
  workspaceId: string;
  tool: string;
  /** The one under this key. */
  key?: string;
  /** Those whose key begins so. */
  parts: string;
  /** Only those that were there at this time, real time as the database writes it; default: all. */
  until?: string;
}

/** Forgets intents of a call. Rare: it looks at all intents of the tool in the workspace. */
export async function dropIntents(tx: Tx, { workspaceId, tool, key, parts, until }: Dropped): Promise<void> {
  await tx.exec(
    `delete from intent
     where workspace_id = $1 and tool = $2
       and (intent_key = app.kept_key($3) or starts_with(intent_key, $4))
       and ($5::timestamptz is null or created_at <= $5::timestamptz)`,
    [workspaceId, tool, key ?? null, parts, until ?? null],
  );
}
