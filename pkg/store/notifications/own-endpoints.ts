import { EVENT_KINDS, type EventKind } from '../../domain/event-kinds.ts';
import { type Chosen, NOTHING_CHOSEN, preferencesOf } from '../../domain/notifications/preferences.ts';
import { mayHear } from '../../domain/notifications/who-is-told.ts';
import type { MemberRole } from '../../domain/vocabulary.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import type { Tx } from '../../postgres/database.ts';
import { mayRead } from '../deliveries/followers.ts';
import { dropWaiting } from '../deliveries/read-deliveries.ts';
import { endIntegration } from '../integrations/integrations.ts';
import { readChosen } from './preferences.ts';

/** Letters of a reason that are kept. */
const MOST_REASON = 1_000;

/** A webhook or chat of one member. */
interface OwnEndpoint {
  id: string;
  channel: 'webhook' | 'chat';
  userId: string;
  role: MemberRole;
  scopeLimit: string[] | null;
  /** What the key that connected it may read now, without one its member. */
  scopes: string[];
}

/**
 * The endpoint is one member's own from now on, and gets no more than the key may read that said where it is.
 * @param key null: it is the member without a key
 */
export async function keepOwnEndpoint(tx: Tx, integrationId: string, user: string, key: string | null): Promise<void> {
  await tx.exec('update integration set member_user = $2, subscriber_user = $2, subscriber_key = $3 where id = $1', [
    integrationId,
    user,
    key,
  ]);
}

/**
 * Lets the webhooks and chats of members follow what their preferences choose for the channel, as far as each may read it, and
 * the key that connected it: who holds a key with few scopes reads no more by an endpoint of its member than by the key.
 * @param userId null: those of all members, since the workspace's choice is in force where a member made none
 */
export async function followAsChosen(tx: Tx, workspaceId: string, userId: string | null): Promise<void> {
  const endpoints = await tx.rows<OwnEndpoint>(
    `select i.id, i.kind as channel, i.member_user as "userId", m.role, m.scope_limit as "scopeLimit",
       app.subscriber_scopes(i.workspace_id, i.subscriber_key, i.member_user) as scopes
     from integration i
     join member m on m.workspace_id = i.workspace_id and m.user_id = i.member_user
     where i.workspace_id = $1
       and i.member_user is not null
       and ($2::uuid is null or i.member_user = $2)
       and i.deleted_at is null
     order by i.id`,
    [workspaceId, userId],
  );
  if (endpoints.length === 0) return;
  const ofWorkspace = (await readChosen(tx, { workspaceId, userId: null })) ?? NOTHING_CHOSEN;
  for (const endpoint of endpoints) {
    const own = (await readChosen(tx, { workspaceId, userId: endpoint.userId })) ?? NOTHING_CHOSEN;
    const chosen = chosenFor(endpoint, own, ofWorkspace);
    const lost = chosen.filter((kind) => !mayRead(endpoint.scopes, kind));
    await tx.exec(
      `update integration
       set events = $2, subscriber_user = member_user, ended_reason = $3
       where id = $1`,
      [endpoint.id, chosen.filter((kind) => !lost.includes(kind)), lost.length === 0 ? null : beyondKey(lost)],
    );
  }
}

/** Why the endpoint does not get what its member chose. */
function beyondKey(kinds: readonly EventKind[]): string {
  const scopes = [...new Set(kinds.map((kind) => EVENT_DEFINITIONS[kind].scope))].join(', ');
  return `${kinds.join(', ')}: not delivered, since the key that connected it lacks ${scopes}; call svc_connect_integration with its integrationId and url under a key that has them`.slice(
    0,
    MOST_REASON,
  );
}

function chosenFor({ channel, ...member }: OwnEndpoint, own: Chosen, ofWorkspace: Chosen): EventKind[] {
  const { channelsOf } = preferencesOf(own, ofWorkspace, 'UTC');
  return EVENT_KINDS.filter(
    (kind) => channelsOf(kind).includes(channel) && mayHear(member, EVENT_DEFINITIONS[kind].scope),
  );
}

/** Ends the webhooks and chats of somebody who is no member any more. @param now epoch ms, product time */
export async function endOwnEndpoints(tx: Tx, workspaceId: string, userId: string, now: number): Promise<void> {
  const endpoints = await tx.rows<{ id: string }>(
    'select id from integration where workspace_id = $1 and member_user = $2 and deleted_at is null',
    [workspaceId, userId],
  );
  for (const { id } of endpoints) {
    await dropWaiting(tx, id, 'its member left', now);
    await endIntegration(tx, id, now);
  }
}
