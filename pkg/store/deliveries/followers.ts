import type { EventKind } from '../../domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import type { Tx } from '../../postgres/database.ts';

/** Endpoints (webhooks and chats) that follow events in a workspace at most. */
export const MOST_ENDPOINTS = 20;
/** Deliveries that wait for an endpoint at most; one that has more is paused. */
export const MOST_WAITING = 100_000;

/** An endpoint that follows events, and what its subscriber may read now. */
export interface Follower {
  id: string;
  events: EventKind[];
  scopes: string[];
  /** As many wait for it as may. */
  full: boolean;
}

/** The endpoints of a workspace that follow events and are not paused. */
export function followersOf(tx: Tx, workspaceId: string): Promise<Follower[]> {
  return tx.rows<Follower>(
    `select
       i.id, i.events, app.subscriber_scopes(i.workspace_id, i.subscriber_key, i.subscriber_user) as scopes,
       exists (
         select 1 from delivery d where d.integration_id = i.id and d.state = 'waiting'
         order by d.number offset ${MOST_WAITING - 1} limit 1
       ) as full
     from integration i
     where i.workspace_id = $1
       and i.kind in ('webhook', 'chat')
       and i.deleted_at is null
       and i.status <> 'paused'
       and i.events <> '{}'
     order by i.id limit ${MOST_ENDPOINTS}`,
    [workspaceId],
  );
}

/** Whether who holds these scopes may read events of the kind. */
export function mayRead(scopes: readonly string[], kind: EventKind): boolean {
  return scopes.includes('*') || scopes.includes(EVENT_DEFINITIONS[kind].scope);
}

/** What is said where a subscriber lost what the kinds need. */
export function lostReason(kinds: readonly EventKind[]): string {
  const scopes = [...new Set(kinds.map((kind) => EVENT_DEFINITIONS[kind].scope))].join(', ');
  return `${kinds.join(', ')}: not delivered any more, since the key or member that chose them lacks ${scopes} now; call svc_connect_integration with its integrationId and events to choose anew`;
}

/** Webhooks and chats of a workspace; its row is locked until the transaction ends, so that two that are connected at once count each other. */
export async function countEndpoints(tx: Tx, workspaceId: string): Promise<number> {
  await tx.row('select 1 from workspace where id = $1 for no key update', [workspaceId]);
  const row = await tx.row<{ n: number }>(
    `select count(*)::int as n
     from integration
     where workspace_id = $1 and kind in ('webhook', 'chat') and deleted_at is null`,
    [workspaceId],
  );
  return row?.n ?? 0;
}

/** What an endpoint follows from now on, and who chose it: a key, or else a user as a member. */
export interface Following {
  integrationId: string;
  events: readonly EventKind[];
  key: string | null;
  user: string | null;
}

export async function follow(tx: Tx, { integrationId, events, key, user }: Following): Promise<void> {
  await tx.exec(
    `update integration
     set events = $2, subscriber_key = $3, subscriber_user = $4, ended_reason = null
     where id = $1`,
    [integrationId, events, key, user],
  );
}
