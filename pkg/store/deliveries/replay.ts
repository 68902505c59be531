import { isUuid } from '../../base/ids.ts';
import type { EventKind } from '../../domain/event-kinds.ts';
import type { Tx } from '../../postgres/database.ts';
import { readNumbered } from '../events/read-events.ts';
import { writeDeliveries } from './fan-out.ts';
import { mayRead } from './followers.ts';

/** Days that a replay reaches back, and events that one brings at most. */
export const REPLAY_DAYS = 30;
export const MOST_REPLAYED = 10_000;

/**
 * The first of the ids that is no delivery of the endpoint; undefined: all are. @param integrationId null: of any of the workspaces that the
 * transaction sees
 */
export async function missingDelivery(
  tx: Tx,
  integrationId: string | null,
  ids: readonly string[],
): Promise<string | undefined> {
  const known = await tx.rows<{ id: string }>(
    'select id::text from delivery where id = any ($2) and ($1::text is null or integration_id = $1)',
    [integrationId, ids.filter(isUuid)],
  );
  const own = new Set(known.map(({ id }) => id));
  return ids.find((id) => !own.has(id.toLowerCase()));
}

/**
 * Deliveries of an endpoint are due again, from their first try on and under the same ids; those that wait, now.
 * @param now epoch ms, product time
 * @returns how many
 */
export async function replayDeliveries(
  tx: Tx,
  integrationId: string,
  ids: readonly string[],
  now: number,
): Promise<number> {
  return await tx.exec(
    `update delivery
     set
       state = 'waiting', due_at = $3, error = null, settled_at = null,
       attempts = case when state = 'waiting' then attempts else 0 end,
       created_at = case when state = 'waiting' then created_at else $3 end
     where integration_id = $1 and id = any ($2)`,
    [integrationId, ids.filter(isUuid), now],
  );
}

/** A stretch of time of a workspace, for one of its endpoints. Epoch ms, product time. */
export interface ReplayAsked {
  workspaceId: string;
  integrationId: string;
  from: number;
  to: number;
  now: number;
  newId: () => string;
}

/**
 * What the endpoint follows of a stretch of time is due again, whether it was delivered or never written for it.
 * @returns `upTo`: there was more than one replay brings, and a time up to which it would not be; nothing is done then
 */
export async function replayEvents(
  tx: Tx,
  { workspaceId, integrationId, from, to, now, newId }: ReplayAsked,
): Promise<{ replayed: number; upTo: number | undefined }> {
  const follower = await tx.row<{ events: EventKind[]; scopes: string[] }>(
    `select i.events, app.subscriber_scopes(i.workspace_id, i.subscriber_key, i.subscriber_user) as scopes
     from integration i
     where i.id = $1 and i.workspace_id = $2`,
    [integrationId, workspaceId],
  );
  const kinds = follower?.events.filter((kind) => mayRead(follower.scopes, kind)) ?? [];
  const events = await readNumbered(tx, { workspaceId, kinds, from, to, limit: MOST_REPLAYED + 1 });
  if (events.length > MOST_REPLAYED) return { replayed: 0, upTo: events[MOST_REPLAYED - 1]?.at ?? from };
  const replayed = events.length === 0 ? 0 : await writeDeliveries(tx, { integrationId, events, now, newId });
  return { replayed, upTo: undefined };
}
