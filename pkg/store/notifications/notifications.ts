import type { JsonObject } from '../../base/json.ts';
import { NOTIFICATION_KINDS, type NotificationKind } from '../../domain/notification-kinds.ts';
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
  const rows = notices.map((notice) => ({ ...notice, ...NOTIFICATION_KINDS[notice.kind] }));
  const row = await tx.row<{ told: number }>('select app.notify_members($1, $2) as told', [now, JSON.stringify(rows)]);
  return row?.told ?? 0;
}
