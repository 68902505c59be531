import type { Tx } from '../../postgres/database.ts';

/** Endpoints that one look finds at most. */
const FOUND_AT_ONCE = 1_000;

/** An endpoint for which something is due, with what it takes to send it. */
export interface DueEndpoint {
  id: string;
  workspaceId: string;
  kind: 'webhook' | 'chat';
  url: string;
  sealed: Buffer | null;
  failuresInRow: number;
}

/**
 * As SQL: whether endpoint `i` of workspace `w` may be sent something now ($1, epoch ms product time). None that is paused or was asked for
 * patience, whose workspace is suspended, frozen (all channels, or webhook) or ends, and none before a restored database was compared.
 */
export const SERVED = `i.kind in ('webhook', 'chat')
  and i.deleted_at is null
  and i.status <> 'paused'
  and coalesce(i.hold_until, 0) <= $1
  and w.operating_mode = 'Running'
  and w.deleted_at is null
  and w.erase_at is null
  and not exists (
    select 1
    from send_freeze s
    where (s.scope = 'platform' or (s.scope = 'workspace' and s.target = i.workspace_id))
      and s.channel in ('', 'webhook')
      and (s.until is null or s.until > $1)
  )
  and not exists (
    select 1
    from restore_guard g
    where g.checked_start is not null and g.checked_start <> pg_postmaster_start_time()
  )`;

/** Endpoints for which something is due that nobody tries. Platform only. @param now epoch ms, product time */
export function dueEndpoints(tx: Tx, now: number): Promise<DueEndpoint[]> {
  return tx.rows<DueEndpoint>(
    `select i.id, i.workspace_id as "workspaceId", i.kind, i.url, i.sealed, i.failures_in_row as "failuresInRow"
     from integration i
     join workspace w on w.id = i.workspace_id
     where ${SERVED}
       and exists (
         select 1
         from delivery d
         where d.integration_id = i.id
           and d.state = 'waiting'
           and d.due_at <= $1
           and (d.lease_until is null or d.lease_until < clock_timestamp())
       )
     order by i.id limit ${FOUND_AT_ONCE}`,
    [now],
  );
}

/** Whether the clock of this installation ever ran ahead: then nothing leaves this machine. */
export async function isRehearsal(tx: Tx): Promise<boolean> {
  return (await tx.row<{ rehearsal: boolean }>('select rehearsal from installation'))?.rehearsal ?? false;
}
