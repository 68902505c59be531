import type { Tx } from '../../postgres/database.ts';

/** Characters of an error that are kept. */
const KEPT = 500;

/** A delivery of a server that tried it. `now`: epoch ms, product time. */
export interface Tried {
  id: string;
  integrationId: string;
  holder: string;
  now: number;
}

/** The receiver took it. @param holdUntil before which nothing more is sent there; null: at once @returns false: another server's */
export async function settleDelivered(tx: Tx, tried: Tried, holdUntil: number | null): Promise<boolean> {
  if (!(await settle(tx, tried, 'delivered', null))) return false;
  await tx.exec(
    `update integration
     set
       last_delivery_at = $2,
       failures_in_row = 0,
       last_error = null,
       hold_until = $3,
       status = case when status = 'error' then 'connected' else status end
     where id = $1`,
    [tried.integrationId, tried.now, holdUntil],
  );
  return true;
}

/** Nobody may or wants to have it any more. */
export async function settleDropped(tx: Tx, tried: Tried, error: string): Promise<void> {
  await settle(tx, tried, 'dropped', error);
}

/** What a try that failed leaves. */
export interface FailedTry {
  error: string;
  /** When it is tried again; undefined: it was the last try. */
  retryAt: number | undefined;
  /** Whether it counts as a try. */
  counts: boolean;
  /** Before which nothing is sent to the endpoint; null: nothing speaks against it. */
  holdUntil: number | null;
}

/** @returns failures of the endpoint in a row, this one included; undefined: another server's */
export async function settleFailed(tx: Tx, tried: Tried, failed: FailedTry): Promise<number | undefined> {
  const { error, retryAt, counts, holdUntil } = failed;
  const kept = retryAt === undefined ? await settle(tx, tried, 'failed', error) : await again(tx, tried, failed);
  if (!kept) return undefined;
  const row = await tx.row<{ failures: number }>(
    `update integration
     set
       failures_in_row = failures_in_row + $4,
       last_error = $2,
       hold_until = greatest(hold_until, $3)
     where id = $1
     returning failures_in_row as failures`,
    [tried.integrationId, error.slice(0, KEPT), holdUntil, counts ? 1 : 0],
  );
  return row?.failures;
}

async function settle(tx: Tx, tried: Tried, state: string, error: string | null): Promise<boolean> {
  const settled = await tx.exec(
    `update delivery
     set
       state = $3, error = $4, settled_at = $5, holder = null, lease_until = null,
       attempts = attempts + case when $3 = 'dropped' then 0 else 1 end
     where id = $1 and holder = $2 and state = 'waiting'`,
    [tried.id, tried.holder, state, error?.slice(0, KEPT) ?? null, tried.now],
  );
  return settled > 0;
}

async function again(tx: Tx, tried: Tried, { error, retryAt, counts }: FailedTry): Promise<boolean> {
  const kept = await tx.exec(
    `update delivery
     set attempts = attempts + $5, due_at = $4, error = $3, holder = null, lease_until = null
     where id = $1 and holder = $2 and state = 'waiting'`,
    [tried.id, tried.holder, error.slice(0, KEPT), retryAt, counts ? 1 : 0],
  );
  return kept > 0;
}

/** An endpoint that did not answer does again: what failed meanwhile is tried now, but for what has its last try before it. */
export async function bringForward(tx: Tx, integrationId: string, now: number, lastTry: number): Promise<void> {
  await tx.exec(
    `update delivery
     set due_at = $2
     where integration_id = $1 and state = 'waiting' and due_at > $2 and attempts < $3`,
    [integrationId, now, lastTry],
  );
}

/** Nothing is sent to an endpoint before `until` (epoch ms, product time). */
export async function holdEndpoint(tx: Tx, integrationId: string, until: number): Promise<void> {
  await tx.exec('update integration set hold_until = greatest(hold_until, $2) where id = $1', [integrationId, until]);
}
