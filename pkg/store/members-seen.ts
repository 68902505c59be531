import type { Database } from '../postgres/database.ts';
import type { AuditRecord } from './audit.ts';

/** Product ms that a member's `last_seen_at` may lag behind. */
const EXACT_TO_MS = 60_000;

/** Keeps when members last called something in their workspace, exact to a minute. What names no workspace counts in none. */
export async function keepMembersSeen(db: Pick<Database, 'tx'>, calls: readonly AuditRecord[]): Promise<void> {
  const last = new Map<string, { workspaceId: string; userId: string; at: number }>();
  for (const { actorKind, actorId: userId, workspaceId, at } of calls) {
    if (actorKind === 'user' && workspaceId !== null) last.set(`${workspaceId} ${userId}`, { workspaceId, userId, at });
  }
  if (last.size === 0) return;
  await db.tx({ kind: 'platform' }, (tx) =>
    tx.exec(
      `update member m set last_seen_at = s.at
       from jsonb_to_recordset($1::jsonb) as s ("workspaceId" text, "userId" text, at bigint)
       where m.workspace_id = s."workspaceId" and m.user_id::text = s."userId" and coalesce(m.last_seen_at, 0) <= s.at - $2::bigint`,
      [JSON.stringify([...last.values()]), EXACT_TO_MS],
    ),
  );
}
