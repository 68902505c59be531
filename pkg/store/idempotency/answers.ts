import type { Tx } from '../../postgres/database.ts';

/** What an answer is kept under. */
export interface AnswerKey {
  workspaceId: string;
  tool: string;
  key: string;
}

/** What is kept under a key. */
export interface KeptAnswer {
  inputHash: string;
  /** null only within the transaction of the call that makes it. */
  result: object | null;
  /** Real time as the database writes it: it names this very answer. */
  keptAt: string;
}

const COLUMNS = `input_hash as "inputHash", result, created_at::text as "keptAt"`;
/** A key that named an erased person is kept as a hash (app.kept_key). */
const AT = 'workspace_id = $1 and tool = $2 and idempotency_key = app.kept_key($3)';

const placeOf = ({ workspaceId, tool, key }: AnswerKey): string[] => [workspaceId, tool, key];

/**
 * Takes the record of a key and holds it to the end of the transaction: a call that comes meanwhile waits for its outcome.
 * @param keepSeconds real seconds after which an answer is forgotten
 * @returns what is kept there, if anything is
 */
export async function takeAnswer(
  tx: Tx,
  key: AnswerKey,
  { inputHash, keepSeconds }: { inputHash: string; keepSeconds: number },
): Promise<KeptAnswer | undefined> {
  const fresh = await tx.exec(
    `insert into idempotency as i (workspace_id, tool, idempotency_key, input_hash)
     values ($1, $2, app.kept_key($3), $4)
     on conflict (workspace_id, tool, idempotency_key) do update
       set input_hash = excluded.input_hash, result = null, created_at = clock_timestamp()
       where i.created_at < clock_timestamp() - make_interval(secs => $5)`,
    [...placeOf(key), inputHash, keepSeconds],
  );
  if (fresh > 0) return undefined;
  return tx.row<KeptAnswer>(`select ${COLUMNS} from idempotency where ${AT} for update`, placeOf(key));
}

/**
 * Stores what a call answered under the record that it took.
 * @param anew the answer is that of another call than before, and is kept from now on
 */
export async function storeAnswer(tx: Tx, key: AnswerKey, result: object, anew: boolean): Promise<void> {
  await tx.exec(
    `update idempotency set result = $4, created_at = case when $5 then clock_timestamp() else created_at end
     where ${AT}`,
    [...placeOf(key), JSON.stringify(result), anew],
  );
}

/** Forgets what is kept under a key: the next call under it is the first. */
export async function dropAnswer(tx: Tx, key: AnswerKey): Promise<void> {
  await tx.exec(`delete from idempotency where ${AT}`, placeOf(key));
}

/** An answer that is kept in one of several workspaces. */
export type FoundAnswer = KeptAnswer & { workspaceId: string; result: object };

/** The answer that is kept under a key in one of these workspaces. */
export async function findAnswer(
  tx: Tx,
  where: { workspaceIds: readonly string[]; tool: string; key: string; keepSeconds: number },
): Promise<FoundAnswer | undefined> {
  return tx.row<FoundAnswer>(
    `select workspace_id as "workspaceId", ${COLUMNS} from idempotency
     where workspace_id = any ($1) and tool = $2 and idempotency_key = app.kept_key($3) and result is not null
       and created_at >= clock_timestamp() - make_interval(secs => $4) limit 1`,
    [where.workspaceIds, where.tool, where.key, where.keepSeconds],
  );
}

/** Forgets this very answer. @returns whether it was still kept: another call may have begun anew meanwhile */
export async function dropFound(tx: Tx, key: AnswerKey, keptAt: string): Promise<boolean> {
  const gone = await tx.exec(`delete from idempotency where ${AT} and created_at = $4::timestamptz`, [
    ...placeOf(key),
    keptAt,
  ]);
  return gone > 0;
}

/**
 * Whether these records are there and neither deleted, revoked nor erased. A name that is no table's says nothing.
 * @param records name of the record in snake case (an import is a lead_import), and its id
 */
export async function areThere(tx: Tx, records: readonly { record: string; id: string }[]): Promise<boolean> {
  if (records.length === 0) return true;
  const row = await tx.row<{ there: boolean }>(
    `select bool_and(coalesce(app.is_there(r.record, r.id), true)) as there
     from unnest($1::text[], $2::text[]) as r (record, id)`,
    [records.map(({ record }) => record), records.map(({ id }) => id)],
  );
  return row?.there ?? true;
}
