import type { Tx } from '../../postgres/database.ts';

/** Whether the list that an export fills is still there. */
export async function exportListLives(tx: Tx, leadListId: string): Promise<boolean> {
  return (await tx.row('select 1 from lead_list where id = $1 and deleted_at is null', [leadListId])) !== undefined;
}

/** The list that the last export of this account filled, while it is there. */
export async function lastExportList(tx: Tx, workspaceId: string, accountId: string): Promise<string | undefined> {
  const row = await tx.row<{ id: string }>(
    `select l.id
     from background_job j
     join lead_list l on l.id = (j.work ->> 'leadListId')::uuid
     where j.workspace_id = $1
       and j.account_id = $2
       and j.kind = 'connections_export'
       and l.deleted_at is null
       and l.type = 'static'
     order by j.created_at desc limit 1`,
    [workspaceId, accountId],
  );
  return row?.id;
}

/** What is known of the size of an account's network. */
export interface NetworkSize {
  /** Connections that account sync saw; null: it has not looked. */
  seen: number | null;
  /** There are more than it saw: it reads only the newest. */
  cut: boolean;
  /** What the last export that came to the end found. */
  exported: number | null;
  /** How many of them the workspace has as leads. */
  known: number;
}

/** How large the account's network is, as far as anybody has seen. */
export async function networkSize(tx: Tx, workspaceId: string, accountId: string): Promise<NetworkSize> {
  const row = await tx.row<NetworkSize>(
    `select
       (w.sync_state ->> 'connections')::int as seen,
       coalesce((w.sync_state ->> 'connectionsCut')::boolean, false) as cut,
       (
         select (j.work ->> 'total')::int
         from background_job j
         where j.workspace_id = $1
           and j.account_id = $2
           and j.kind = 'connections_export'
           and j.status = 'completed'
           and j.work ->> 'cursor' is null
         order by j.created_at desc limit 1
       ) as exported,
       (
         select count(*)::int
         from relation r
         where r.account_id = $2
           and r.state = 'connected'
           and exists (select 1 from lead l where l.person_id = r.person_id and l.workspace_id = $1)
       ) as known
     from (select 1) one
     left join account_wake w on w.account_id = $2`,
    [workspaceId, accountId],
  );
  return row ?? { seen: null, cut: false, exported: null, known: 0 };
}

/** The account as an export needs it, while it is linked to the workspace. */
export function exportAccount(
  tx: Tx,
  workspaceId: string,
  accountId: string,
): Promise<{ id: string; provider: string; externalId: string; status: string } | undefined> {
  return tx.row(
    `select a.id, a.provider, a.external_id as "externalId", a.status
     from network_account a
     join account_link l on l.account_id = a.id
     where a.id = $2 and l.workspace_id = $1`,
    [workspaceId, accountId],
  );
}
