import type { Tx } from '../../postgres/database.ts';

/** What becomes of a delivery; dropped: nobody may or wants to have it any more. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A delivery as people see it; times epoch ms, product time. */
export interface DeliveryView {
  id: string;
  kind: string;
  /** event_number.number. */
  number: number;
  state: DeliveryState;
  attempts: number;
  dueAt: number;
  settledAt: number | null;
  error: string | null;
}

/** What is asked of an endpoint. */
export interface DeliveriesAsked {
  integrationId: string;
  state: DeliveryState | undefined;
  /** Of the last one that was read; undefined: from the newest on. */
  before: number | undefined;
  limit: number;
}

/** Deliveries of an endpoint, newest event first. */
export function readDeliveries(
  tx: Tx,
  { integrationId, state, before, limit }: DeliveriesAsked,
): Promise<DeliveryView[]> {
  return tx.rows<DeliveryView>(
    `select id, kind, number, state, attempts, due_at as "dueAt", settled_at as "settledAt", error
     from delivery
     where integration_id = $1
       and ($2::text is null or state = $2)
       and ($3::bigint is null or number < $3)
     order by number desc limit $4`,
    [integrationId, state ?? null, before ?? null, limit],
  );
}

/** Drops what waits for an endpoint. @param now epoch ms, product time @returns how many */
export async function dropWaiting(tx: Tx, integrationId: string, reason: string, now: number): Promise<number> {
  return await tx.exec(
    `update delivery
     set state = 'dropped', error = $2, settled_at = $3, holder = null, lease_until = null
     where integration_id = $1 and state = 'waiting'`,
    [integrationId, reason, now],
  );
}
