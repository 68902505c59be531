import type { Tx } from '../../postgres/database.ts';

/** Lets a workspace send through an account. @param now epoch ms UTC, product time */
export async function linkAccount(tx: Tx, accountId: string, workspaceId: string, now: number): Promise<void> {
  await tx.exec(
    'insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, $3) on conflict do nothing',
    [accountId, workspaceId, now],
  );
}

/** From then on nothing leaves through the account for the workspace. */
export async function unlinkAccount(tx: Tx, accountId: string, workspaceId: string): Promise<void> {
  await tx.exec('delete from account_link where account_id = $1 and workspace_id = $2', [accountId, workspaceId]);
}

/** Guarantees a workspace its part of an account's budgets. @param share 0 to 1 */
export async function keepShare(tx: Tx, accountId: string, workspaceId: string, share: number): Promise<void> {
  await tx.exec('update account_link set share = $3 where account_id = $1 and workspace_id = $2', [
    accountId,
    workspaceId,
    share,
  ]);
}

/** Pauses an account for workspaces, or lets it go on for them; others that share it notice nothing. */
export async function keepPause(
  tx: Tx,
  accountId: string,
  workspaceIds: readonly string[],
  paused: boolean,
): Promise<void> {
  await tx.exec(
    `update account_link
     set paused = $3
     where account_id = $1 and workspace_id = any ($2) and paused <> $3`,
    [accountId, workspaceIds, paused],
  );
}

/**
 * Stops runs that send through an account which is not linked any more; one that was linked again meanwhile keeps them.
 * What the account already did stays recorded. Locks runs by id.
 * @param stop `runs`: of this workspace; `now`: epoch ms UTC, product time
 * @returns how many were stopped
 */
export async function stopUnlinkedRuns(
  tx: Tx,
  stop: { accountId: string; workspaceId: string; runs: readonly string[]; by: string; now: number },
): Promise<number> {
  const linked = await tx.row('select 1 from account_link where account_id = $1 and workspace_id = $2', [
    stop.accountId,
    stop.workspaceId,
  ]);
  if (linked) return 0;
  return tx.exec(
    `with stopped as (
       update run
       set
         state = 'stopped',
         due_at = null,
         wait_reason = null,
         ended_at = $3,
         end_reason = $4,
         version = version + 1
       where id = any (array(select r.id from run r where r.id = any ($1::uuid[]) order by r.id for no key update))
         and account_id = $2
         and ended_at is null
       returning id, node_id
     )
     insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
     select
       $5,
       id,
       $3,
       'run.completed',
       nullif(node_id, ''),
       $6,
       $4,
       jsonb_build_object('state', 'stopped', 'networkAccountId', $2::text)
     from stopped`,
    [stop.runs, stop.accountId, stop.now, 'account unlinked', stop.workspaceId, stop.by],
  );
}
