import type { Tx } from '../../postgres/database.ts';

/** Workspaces to which an account may be linked too, by the word of the caller's workspace that owns it. */
export async function readConsents(tx: Tx, accountId: string, owner: string): Promise<string[]> {
  const rows = await tx.rows<{ workspace_id: string }>(
    'select workspace_id from account_consent where account_id = $1 and given_by = $2 order by 1 limit 1000',
    [accountId, owner],
  );
  return rows.map((row) => row.workspace_id);
}

/** Replaces them whole; what is linked already stays linked. @param now epoch ms UTC, product time */
export async function keepConsents(
  tx: Tx,
  given: { accountId: string; owner: string; workspaceIds: readonly string[]; now: number },
): Promise<void> {
  const { accountId, owner, workspaceIds, now } = given;
  await tx.exec('delete from account_consent where account_id = $1 and given_by = $2', [accountId, owner]);
  await tx.exec(
    `insert into account_consent (account_id, workspace_id, given_by, given_at)
     select distinct $1, w, $3, $4::bigint
     from unnest($2::text[]) w`,
    [accountId, workspaceIds, owner, now],
  );
}

/** Whether the platform may link the account there (app.may_link). */
export async function mayLink(tx: Tx, accountId: string, workspaceId: string): Promise<boolean> {
  const row = await tx.row<{ may: boolean | null }>('select app.may_link($1, $2) as may', [accountId, workspaceId]);
  return row?.may ?? false;
}
