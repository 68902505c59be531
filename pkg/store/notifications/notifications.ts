import type { JsonObject } from '../../base/json.ts';
import type { NotificationKind } from '../../domain/notifications/notification-kinds.ts';
import { NOTIFICATION_RULES } from '../../domain/notifications/notification-rules.ts';
import type { Tx } from '../../postgres/database.ts';

/** What members are told. */
export interface Notice {
  /** Ids of members or of their users; others than the workspace's are left out. */
  members: readonly string[];
  kind: NotificationKind;
  title: string;
  text: string;
  /** Ids of the records that it is about. */
  data: JsonObject;
  /** What made it: the same origin tells a member once. */
  origin: string;
}

/** Tells members of the executor's workspace. Returns how many notifications were made. */
export async function notifyMembers(tx: Tx, now: number, notices: readonly Notice[]): Promise<number> {
  if (notices.length === 0) return 0;
  const rows = notices.map((notice) => ({ ...notice, nextTool: NOTIFICATION_RULES[notice.kind].nextTool }));
  const row = await tx.row<{ told: number }>('select app.notify_members($1, $2) as told', [now, JSON.stringify(rows)]);
  return row?.told ?? 0;
}

/**
 * Marks a notification as read; one that was read keeps its time.
 * @param userId whose it must be; null: anybody's of the caller's workspaces
 * @returns whether there is such a notification
 */
export async function markRead(tx: Tx, id: string, userId: string | null, now: number): Promise<boolean> {
  const changed = await tx.exec(
    `update notification
     set read_at = coalesce(read_at, $2)
     where id = $1 and ($3::uuid is null or user_id = $3)`,
    [id, now, userId],
  );
  return changed > 0;
}

/**
 * Marks as read what was made up to `until` and was not read. @param of `until`, `now`: epoch ms UTC, product time
 * @returns how many
 */
export function markAllRead(
  tx: Tx,
  of: { workspaceId: string; userId: string | null; until: number; now: number },
): Promise<number> {
  return tx.exec(
    `update notification
     set read_at = $2
     where workspace_id = $1 and ($3::uuid is null or user_id = $3) and read_at is null and created_at <= $4`,
    [of.workspaceId, of.now, of.userId, of.until],
  );
}
