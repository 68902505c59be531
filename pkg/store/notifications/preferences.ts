import type { Chosen } from '../../domain/notifications/preferences.ts';
import type { Tx } from '../../postgres/database.ts';

/** Whose choice it is. @param userId null: the workspace's, for members who chose nothing */
export interface ChoiceOf {
  workspaceId: string;
  userId: string | null;
}

/** What somebody chose; undefined: nothing yet. @param lock whether it is about to be changed */
export function readChosen(tx: Tx, { workspaceId, userId }: ChoiceOf, lock = false): Promise<Chosen | undefined> {
  return tx.row<Chosen>(
    `select channels, digest, quiet_hours as "quietHours"
     from notification_preference
     where workspace_id = $1 and user_id is not distinct from $2
     ${lock ? 'for no key update' : ''}`,
    [workspaceId, userId],
  );
}

/** Begins a row for somebody who chose nothing yet, so that two calls at once do not lose each other's choices. */
export async function beginChoice(tx: Tx, { workspaceId, userId }: ChoiceOf, now: number): Promise<void> {
  await tx.exec(
    `insert into notification_preference (workspace_id, user_id, updated_at)
     values ($1, $2, $3)
     on conflict do nothing`,
    [workspaceId, userId, now],
  );
}

/** @param now epoch ms, product time */
export async function writeChosen(
  tx: Tx,
  { workspaceId, userId }: ChoiceOf,
  chosen: Chosen,
  now: number,
): Promise<void> {
  await tx.exec(
    `update notification_preference
     set channels = $3, digest = $4, quiet_hours = $5, updated_at = $6
     where workspace_id = $1 and user_id is not distinct from $2`,
    [
      workspaceId,
      userId,
      JSON.stringify(chosen.channels),
      chosen.digest,
      chosen.quietHours === null ? null : JSON.stringify(chosen.quietHours),
      now,
    ],
  );
}

/** Which kinds the webhooks and the chats follow that reach somebody, by channel: those of the workspace, and their own. */
export async function followedKinds(
  tx: Tx,
  { workspaceId, userId }: ChoiceOf,
): Promise<Record<'webhook' | 'chat', Set<string>>> {
  const rows = await tx.rows<{ channel: 'webhook' | 'chat'; event: string }>(
    `select distinct i.kind as channel, e as event
     from integration i
     cross join unnest(i.events) e
     where i.workspace_id = $1
       and i.kind in ('webhook', 'chat')
       and (i.member_user is null or i.member_user = $2)
       and i.deleted_at is null
       and i.status <> 'paused'`,
    [workspaceId, userId],
  );
  const of = (channel: string): Set<string> =>
    new Set(rows.filter((row) => row.channel === channel).map(({ event }) => event));
  return { webhook: of('webhook'), chat: of('chat') };
}
