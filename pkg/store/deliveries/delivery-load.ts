import type { Tx } from '../../postgres/database.ts';
import { SERVED } from './due-endpoints.ts';

/** Deliveries that are counted at most. */
const COUNTED = 100_000;

/** How much waits, and how much does not move. */
export interface DeliveryLoad {
  waiting: number;
  /** Product ms for which the oldest has been due of endpoints that may be served and refused nothing of it; 0 without one. */
  oldestMs: number;
  /** Endpoints that paused themselves. */
  paused: number;
}

/** Platform only. @param now epoch ms, product time */
export async function deliveryLoad(tx: Tx, now: number): Promise<DeliveryLoad> {
  const row = await tx.row<DeliveryLoad>(
    `select
       (
         select count(*)::int
         from integration i
         where i.kind in ('webhook', 'chat') and i.deleted_at is null and i.status = 'paused'
       ) as paused,
       (
         select count(*)::int
         from (
           select 1
           from integration i
           join delivery d on d.integration_id = i.id and d.state = 'waiting'
           where i.status <> 'paused' limit ${COUNTED}
         ) counted
       ) as waiting,
       coalesce(
         (
           select greatest(0, $1 - min(first.due_at))
           from integration i
           join workspace w on w.id = i.workspace_id,
             lateral (
               select min(d.due_at) as due_at, max(d.attempts) as attempts
               from delivery d
               where d.integration_id = i.id and d.state = 'waiting'
             ) first
           where ${SERVED} and first.attempts = 0
         ),
         0
       ) as "oldestMs"`,
    [now],
  );
  return row ?? { waiting: 0, oldestMs: 0, paused: 0 };
}
