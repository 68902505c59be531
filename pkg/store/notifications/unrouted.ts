import type { EventKind } from '../../domain/event-kinds.ts';
import type { Tx } from '../../postgres/database.ts';

/** Notifications that one transaction decides on. */
const ROUTED_AT_ONCE = 500;

/** A notification of which nobody decided yet by which channels it goes: another door than the reader of events made it. */
export interface Unrouted {
  id: string;
  userId: string;
  kind: EventKind;
  read: boolean;
  /** When a mail told of it; epoch ms, product time; null: none did. */
  mailedAt: number | null;
}

/** By which channels it goes. */
export interface Route {
  id: string;
  inApp: boolean;
  /** Epoch ms, product time; null: it does not go by mail. */
  mailAt: number | null;
}

/** Workspaces with notifications that nobody decided on. Platform only. */
export async function workspacesToRoute(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    'select distinct workspace_id as id from notification where routed_at is null limit $1',
    [limit],
  );
  return rows.map(({ id }) => id);
}

/** Locks those that nobody else decides on now. */
export function lockUnrouted(tx: Tx, workspaceId: string): Promise<Unrouted[]> {
  return tx.rows<Unrouted>(
    `select id, user_id as "userId", kind, read_at is not null as read, mailed_at as "mailedAt"
     from notification
     where workspace_id = $1 and routed_at is null
     order by created_at, id
     limit ${ROUTED_AT_ONCE}
     for update skip locked`,
    [workspaceId],
  );
}

/** @param now epoch ms, product time */
export async function writeRoutes(tx: Tx, routes: readonly Route[], now: number): Promise<void> {
  await tx.exec(
    `update notification n
     set in_app = q."inApp", mail_at = q."mailAt", routed_at = $2
     from jsonb_to_recordset($1::jsonb) as q (id uuid, "inApp" boolean, "mailAt" bigint)
     where n.id = q.id`,
    [JSON.stringify(routes), now],
  );
}

/** What of a member was not mailed yet is decided on anew: they chose otherwise. @param userId null: of all members */
export async function routeAgain(tx: Tx, workspaceId: string, userId: string | null): Promise<void> {
  await tx.exec(
    `update notification
     set routed_at = null
     where workspace_id = $1 and ($2::uuid is null or user_id = $2) and mail_at is not null and read_at is null`,
    [workspaceId, userId],
  );
}
