import type { Database } from '../../postgres/database.ts';
import type { AuditRecord } from '../audit/audit.ts';

/** Product ms that a member's `last_seen_at` may lag behind. */
const EXACT_TO_MS = 60_000;
/** Members that are remembered at most. */
const MOST_KNOWN = 10_000;

interface Seen {
  workspaceId: string;
  userId: string;
  at: number;
}

/** Keeps when members last called something in their workspace, exact to a minute. What names no workspace counts in none. */
export class MembersSeen {
  readonly #db: Pick<Database, 'tx'>;
  /** What the rows say at least, by member: who calls all the time is written once a minute. */
  readonly #known = new Map<string, number>();

  constructor(db: Pick<Database, 'tx'>) {
    this.#db = db;
  }

  async keep(calls: readonly AuditRecord[]): Promise<void> {
    const last = new Map<string, Seen>();
    for (const { actorKind, actorId: userId, workspaceId, at } of calls) {
      if (actorKind !== 'user' || workspaceId === null) continue;
      const member = `${workspaceId} ${userId}`;
      if (at - (this.#known.get(member) ?? Number.NEGATIVE_INFINITY) >= EXACT_TO_MS)
        last.set(member, { workspaceId, userId, at });
    }
    if (last.size === 0) return;
    await this.#db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `update member m
         set last_seen_at = s.at
         from jsonb_to_recordset($1::jsonb) as s ("workspaceId" text, "userId" text, at bigint)
         where m.workspace_id = s."workspaceId"
           and m.user_id::text = s."userId"
           and coalesce(m.last_seen_at, 0) <= s.at - $2::bigint`,
        [JSON.stringify([...last.values()]), EXACT_TO_MS],
      ),
    );
    this.#remember(last);
  }

  #remember(last: ReadonlyMap<string, Seen>): void {
    for (const [member, { at }] of last) {
      this.#known.delete(member);
      this.#known.set(member, at);
    }
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_KNOWN) break;
      this.#known.delete(oldest);
    }
  }
}
