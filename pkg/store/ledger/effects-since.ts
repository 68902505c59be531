import type { Tx } from '../../postgres/database.ts';
import type { FreezeKey } from './send-freezes.ts';

/** Newest sends of an account that are looked at: far more than it dispatches within seconds. Of calls the open ones are. */
const NEWEST = 100;

/** A moment of the database clock, and the transaction that froze. */
export interface FrozenAt {
  /** Text of a timestamptz. */
  since: string;
  /** Text of an xid8. */
  xid: string;
}

/** The database clock, before a freeze is written. */
export async function databaseClock(tx: Tx): Promise<string> {
  const row = await tx.row<{ at: string }>('select clock_timestamp()::text as at');
  return row?.at ?? '';
}

/** The transaction of the freeze, within it. */
export async function transactionId(tx: Tx): Promise<string> {
  const row = await tx.row<{ xid: string }>('select pg_current_xact_id()::text as xid');
  return row?.xid ?? '';
}

/**
 * What still left within the freeze after `since`: a dispatch that looked before the freeze was there may commit after it.
 * For a platform transaction.
 * @returns ms from `since` to the last dispatch, null: none; `over`: whether every transaction that began before the freeze has ended,
 *   so that no other dispatch can come
 */
export async function effectsSince(
  tx: Tx,
  { scope, target, channel }: FreezeKey,
  { since, xid }: FrozenAt,
): Promise<{ lastAfterMs: number | null; over: boolean }> {
  const row = await tx.row<{ last: number | null; over: boolean }>(
    `select
       pg_snapshot_xmin(pg_current_snapshot()) > $5::xid8 as over,
       (extract(epoch from greatest(
         (
           select max(s.dispatched_real)
           from network_account a
           cross join lateral (
             select x.dispatched_real, x.workspace_id
             from send x
             where x.account_id = a.id
             order by x.claimed_at desc limit ${NEWEST}
           ) s
           where s.dispatched_real > $4::timestamptz
             and ($1 <> 'account' or a.id = $2)
             and ($1 <> 'workspace' or s.workspace_id = $2)
             and ($3 in ('', 'content') or a.kind = $3)
         ),
         (
           select max(k.dispatched_real)
           from node_call k
           where k.state <> 'settled'
             and k.dispatched_real > $4::timestamptz
             and k.outward is not null
             and $1 <> 'account'
             and ($1 <> 'workspace' or k.workspace_id = $2)
             and $3 in ('', 'webhook')
         )
       ) - $4::timestamptz) * 1000)::float8 as last`,
    [scope, target, channel, since, xid],
  );
  return { lastAfterMs: row?.last == null ? null : Math.ceil(row.last), over: row?.over ?? false };
}
