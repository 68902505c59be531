import type { Tx } from '../../postgres/database.ts';
import { READ_AT_ONCE, readEvents, type StoredEvent } from '../events/read-events.ts';
import { endFollowing } from './end-following.ts';
import { leadsOf } from './event-leads.ts';
import { followersOf, lostReason, MOST_WAITING, mayRead } from './followers.ts';
import { pauseEndpoint } from './pause-endpoint.ts';

/** What one pass over a workspace needs. */
export interface FanOut {
  workspaceId: string;
  /** Epoch ms. */
  now: { product: number; real: number };
  newId: () => string;
}

/**
 * Reads the next events of a workspace for its endpoints and writes a delivery for each that follows one, in the transaction that moves
 * the reader's position: killed before its commit, it is done again, and never half. Platform only.
 * @returns whether there may be more to read
 */
export async function fanOut(tx: Tx, { workspaceId, now, newId }: FanOut): Promise<boolean> {
  const events = await readEvents(tx, 'deliveries', workspaceId, now.real);
  const followers = events.length > 0 ? await followersOf(tx, workspaceId) : [];
  for (const follower of followers) {
    const wanted = events.filter(({ kind }) => follower.events.includes(kind));
    const lost = [...new Set(wanted.map(({ kind }) => kind))].filter((kind) => !mayRead(follower.scopes, kind));
    const { id: integrationId } = follower;
    if (lost.length > 0) {
      await endFollowing(tx, { integrationId, workspaceId, kinds: lost, reason: lostReason(lost), now: now.product });
    }
    const told = wanted.filter(({ kind }) => !lost.includes(kind));
    if (told.length === 0) continue;
    if (follower.full) await pauseEndpoint(tx, { integrationId, reason: FULL, now: now.product });
    else await writeDeliveries(tx, { integrationId, events: told, now: now.product, newId });
  }
  return events.length === READ_AT_ONCE;
}

const FULL = `more than ${MOST_WAITING} deliveries wait`;

/** Events for an endpoint. */
export interface NewDeliveries {
  integrationId: string;
  events: readonly StoredEvent[];
  /** Epoch ms, product time. */
  now: number;
  newId: () => string;
}

/** Writes one delivery per event; one that is there waits again, from its first try on. @returns how many */
export async function writeDeliveries(tx: Tx, { integrationId, events, now, newId }: NewDeliveries): Promise<number> {
  const rows = events.map((event) => ({
    id: newId(),
    workspaceId: event.workspaceId,
    number: event.number,
    seq: event.seq,
    at: event.at,
    kind: event.kind,
    leadIds: leadsOf(event),
  }));
  return await tx.exec(
    `insert into delivery as d (id, workspace_id, integration_id, number, seq, at, kind, lead_ids, due_at, created_at)
     select r.id, r."workspaceId", $1, r.number, r.seq, r.at, r.kind, r."leadIds", $3, $3
     from jsonb_to_recordset($2) as r (
       id uuid, "workspaceId" text, number bigint, seq bigint, at bigint, kind text, "leadIds" uuid[]
     )
     on conflict (integration_id, seq) do update set
       state = 'waiting', attempts = 0, due_at = $3, error = null, settled_at = null, created_at = $3
       where d.state <> 'waiting'`,
    [integrationId, JSON.stringify(rows), now],
  );
}
