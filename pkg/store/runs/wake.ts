import type { Tx } from '../../postgres/database.ts';

/**
 * Says that a workspace has work at `dueAt` (epoch ms UTC, product time); the earliest wins. Call it in the
 * transaction that makes the work, so that the operator starts an executor for it.
 */
export async function wakeWorkspace(tx: Tx, workspaceId: string, dueAt: number, reason: string): Promise<void> {
  await tx.exec(
    `insert into workspace_wake (workspace_id, due_at, reason) values ($1, $2, $3)
     on conflict (workspace_id) do update set due_at = excluded.due_at, reason = excluded.reason
     where workspace_wake.due_at > excluded.due_at`,
    [workspaceId, dueAt, reason],
  );
}

/** As `wakeWorkspace`, where only an enabled workflow has use for the news: nothing is started for an idle workspace. */
export async function wakeIfWorking(tx: Tx, workspaceId: string, dueAt: number, reason: string): Promise<void> {
  const working = await tx.row(
    'select 1 from workflow where workspace_id = $1 and enabled and deleted_at is null limit 1',
    [workspaceId],
  );
  if (working) await wakeWorkspace(tx, workspaceId, dueAt, reason);
}

/** Brings the next sync of an account forward to `dueAt`; a hint never delays one. */
export async function wakeAccount(tx: Tx, accountId: string, dueAt: number): Promise<void> {
  await tx.exec(
    `insert into account_wake (account_id, due_at, hinted) values ($1, $2, true)
     on conflict (account_id) do update set due_at = least(account_wake.due_at, excluded.due_at), hinted = true`,
    [accountId, dueAt],
  );
}

/**
 * Whether an account (`k.account_id`) is synced: a workspace that runs is linked to it. Whatever its status: only a look at
 * the provider tells that an account is connected again.
 */
export const IS_SYNCED = `exists (select 1 from account_link l join workspace w on w.id = l.workspace_id
  where l.account_id = k.account_id and w.operating_mode = 'Running' and w.deleted_at is null)`;

/**
 * As SQL: for how long the work of a row `k` of `workspace_wake` has been due at `now` (a parameter, epoch ms product time), in ms; of
 * what is to be done at once (0) the real time since somebody wished it. Negative: it is not due yet.
 */
export function wakeAge(now: string): string {
  return `case when k.due_at > 0 then ${now}::bigint - k.due_at else greatest(0, extract(epoch from clock_timestamp() - k.woken_at) * 1000) end::float8`;
}

/**
 * As SQL: for how long an account has not been read though it should have been, ms at `now` (a parameter, epoch ms product time), by
 * its row `k` of `account_wake`: since its rounds fail, else since it is due. Null or negative: all is well.
 */
export function unreadFor(now: string): string {
  return `${now}::bigint - least((k.sync_state ->> 'failingSince')::bigint, greatest(k.due_at, k.last_synced_at,
    (select min(l.linked_at) from account_link l where l.account_id = k.account_id)))`;
}
