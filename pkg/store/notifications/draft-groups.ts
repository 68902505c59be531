import type { JsonObject } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';

/** An unread notification of drafts that wait. */
export interface DraftGroup {
  id: string;
  groupKey: string;
  events: number;
  data: JsonObject;
}

/** Locks what is unread of these groups. */
export function lockDraftGroups(tx: Tx, workspaceId: string, keys: readonly string[]): Promise<DraftGroup[]> {
  return tx.rows<DraftGroup>(
    `select id, group_key as "groupKey", events, data
     from notification
     where workspace_id = $1 and group_key = any ($2) and read_at is null
     order by id
     for update`,
    [workspaceId, keys],
  );
}

/** Marks notifications as read: what they told of is over. @param now epoch ms, product time */
export function closeGroups(tx: Tx, ids: readonly string[], now: number): Promise<number> {
  return tx.exec('update notification set read_at = $2 where id = any ($1) and read_at is null', [ids, now]);
}

/** Says anew what an unread notification tells. */
export async function rewordGroup(
  tx: Tx,
  id: string,
  to: { title: string; text: string; data: JsonObject; nextTool: string | null },
): Promise<void> {
  await tx.exec('update notification set title = $2, text = $3, data = $4, next_tool = $5 where id = $1', [
    id,
    to.title,
    to.text,
    JSON.stringify(to.data),
    to.nextTool,
  ]);
}
