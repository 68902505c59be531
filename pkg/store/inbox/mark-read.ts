import type { Tx } from '../../postgres/database.ts';

/** Marks a conversation read or unread. @param now epoch ms, product time @returns messages that are unread now */
export async function markRead(tx: Tx, conversationId: string, read: boolean, now: number): Promise<number> {
  const row = await tx.row<{ unread: number }>(
    `update conversation
     set unread = case when $2 then 0 else greatest(1, unread) end, marked_at = $3
     where id = $1
     returning unread`,
    [conversationId, read, now],
  );
  return row?.unread ?? 0;
}
