import type { Tx } from '../../postgres/database.ts';
import type { ReconcileRecord } from '../reconcile-record.ts';
import type { LeaseFact } from './executor-plan.ts';

/** What the database says of a workspace, in one query. */
export interface WorkspaceFacts {
  /** Of the object that the row shows. */
  uid: string;
  operatingMode: string;
  reconcile: Partial<ReconcileRecord> | null;
  /** Product time at which work is due, epoch ms; null: none known. */
  dueAt: number | null;
  lease: LeaseFact | null;
  /** Its place in the pool, since when (real ms); null: none. */
  seat: { member: string; ageMs: number } | null;
  /** A freeze that stops this workspace, or an account of it. */
  freeze: { scope: string; target: string; reason: string } | null;
}

interface Row {
  uid: string;
  operating_mode: string;
  reconcile: Partial<ReconcileRecord> | null;
  due_at: number | null;
  epoch: number | null;
  holder: string | null;
  live: boolean | null;
  idle_ms: number | null;
  lapsed_ms: number | null;
  member: string | null;
  seated_ms: number | null;
  freeze: WorkspaceFacts['freeze'];
}

/** Undefined when the row is missing or deleted. Ages are on the database clock; `now`: product time, epoch ms. */
export async function readFacts(tx: Tx, id: string, now: number): Promise<WorkspaceFacts | undefined> {
  const row = await tx.row<Row>(
    `select
       w.uid,
       w.operating_mode,
       w.reconcile,
       k.due_at,
       c.epoch,
       c.holder,
       coalesce(c.expires_at > clock_timestamp(), false) as live,
       case
         when c.idle_epoch = c.epoch then (extract(epoch from clock_timestamp() - c.idle_since) * 1000)::float8
       end as idle_ms,
       (extract(epoch from clock_timestamp() - c.expires_at) * 1000)::float8 as lapsed_ms,
       s.member,
       (extract(epoch from clock_timestamp() - s.seated_at) * 1000)::float8 as seated_ms,
       (
         select jsonb_build_object('scope', f.scope, 'target', f.target, 'reason', f.reason)
         from send_freeze f
         where (f.until is null or f.until > $2)
           and (
             f.scope = 'platform'
             or (f.scope = 'workspace' and f.target = w.id)
             or (
               f.scope = 'account'
               and f.target in (select l.account_id from account_link l where l.workspace_id = w.id)
             )
           )
         order by f.scope <> 'platform', f.target <> 'restore', f.since, f.id limit 1
       ) as freeze
     from workspace w
     left join workspace_wake k on k.workspace_id = w.id
     left join pool_seat s on s.workspace_id = w.id
     left join claim c on c.kind = 'workspace' and c.key = w.id
     where w.id = $1 and w.deleted_at is null`,
    [id, now],
  );
  if (!row) return undefined;
  const { uid, operating_mode, reconcile, due_at, freeze, member, seated_ms } = row;
  const seat = member === null ? null : { member, ageMs: seated_ms ?? 0 };
  return { uid, operatingMode: operating_mode, reconcile, dueAt: due_at, lease: claimOf(row), seat, freeze };
}

function claimOf(row: Row): LeaseFact | null {
  if (row.epoch === null || row.epoch === 0) return null;
  const { epoch, holder, live, idle_ms, lapsed_ms } = row;
  return { epoch, holder, live: live === true && holder !== null, idleMs: idle_ms, lapsedMs: lapsed_ms ?? 0 };
}
