import type { Tx } from '../../postgres/database.ts';

/** Deliveries that are counted at most. */
const COUNTED = 100_000;

/** How much waits, and how much does not move. */
export interface DeliveryLoad {
  waiting: number;
  /** Product ms for which the oldest has been due of those that could be given now; 0 without one. */
  oldestMs: number;
  /** Endpoints that paused themselves. */
  paused: number;
}

/** Platform only. @param now epoch ms, product time */
export async function deliveryLoad(tx: Tx, now: number): Promise<DeliveryLoad> {
  const row = await tx.row<DeliveryLoad>(
    `with endpoint as materialized (
       select i.id, i.status, coalesce(i.hold_until, 0) <= $1 and i.failures_in_row = 0 as answers
       from integration i
       where i.kind in ('webhook', 'chat') and i.deleted_at is null
     )
     select
       (select count(*)::int from endpoint where status = 'paused') as paused,
       (
         select count(*)::int
         from (
           select 1
           from endpoint e
           join delivery d on d.integration_id = e.id and d.state = 'waiting'
           where e.status <> 'paused' limit ${COUNTED}
         ) counted
       ) as waiting,
       coalesce(
         (
           select greatest(0, $1 - min(first.due_at))
           from endpoint e,
             lateral (
               select d.due_at
               from delivery d
               where d.integration_id = e.id and d.state = 'waiting' order by d.due_at limit 1
             ) first
           where e.status <> 'paused' and e.answers
         ),
         0
       ) as "oldestMs"`,
    [now],
  );
  return row ?? { waiting: 0, oldestMs: 0, paused: 0 };
}
