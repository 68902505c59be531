import { EVENT_KINDS } from '../../domain/event-kinds.ts';
import { type Chosen, NOTHING_CHOSEN, preferencesOf } from '../../domain/notifications/preferences.ts';
import { mayHear } from '../../domain/notifications/who-is-told.ts';
import type { MemberRole } from '../../domain/vocabulary.ts';
import type { EventDefinition } from '../../events/event-definition.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import type { Tx } from '../../postgres/database.ts';
import { dropWaiting } from '../deliveries/read-deliveries.ts';
import { endIntegration } from '../integrations/integrations.ts';
import { readChosen } from './preferences.ts';

/** A webhook or chat of one member. */
interface OwnEndpoint {
  id: string;
  channel: 'webhook' | 'chat';
  userId: string;
  role: MemberRole;
  scopeLimit: string[] | null;
}

/** The endpoint is one member's own from now on. */
export async function keepOwnEndpoint(tx: Tx, integrationId: string, userId: string): Promise<void> {
  await tx.exec('update integration set member_user = $2 where id = $1', [integrationId, userId]);
}

/**
 * Lets the webhooks and chats of members follow what their preferences choose for the channel, as far as each may read it.
 * @param userId null: those of all members, since the workspace's choice is in force where a member made none
 */
export async function followAsChosen(tx: Tx, workspaceId: string, userId: string | null): Promise<void> {
  const endpoints = await tx.rows<OwnEndpoint>(
    `select i.id, i.kind as channel, i.member_user as "userId", m.role, m.scope_limit as "scopeLimit"
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
    await tx.exec(
      `update integration
       set events = $2, subscriber_key = null, subscriber_user = member_user, ended_reason = null
       where id = $1`,
      [endpoint.id, chosenFor(endpoint, own, ofWorkspace)],
    );
  }
}

function chosenFor({ channel, ...member }: OwnEndpoint, own: Chosen, ofWorkspace: Chosen): string[] {
  const { channelsOf } = preferencesOf(own, ofWorkspace, 'UTC');
  return EVENT_KINDS.filter((kind) => {
    const { scope, later }: EventDefinition = EVENT_DEFINITIONS[kind];
    return later !== true && channelsOf(kind).includes(channel) && mayHear(member, scope);
  });
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
