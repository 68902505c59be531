import { firstTimezone } from '../../domain/local-time.ts';
import { type Chosen, NOTHING_CHOSEN, preferencesOf } from '../../domain/notifications/preferences.ts';
import type { Hearer } from '../../domain/notifications/who-is-told.ts';
import type { MemberRole } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';

/** Members of a workspace that are told at most: what is more than a firm is left out. */
const MOST_MEMBERS = 1_000;

/** A workspace as its members are told of it. */
export interface Audience {
  workspaceName: string;
  hearers: readonly Hearer[];
}

interface Row {
  workspace: string;
  timezone: string;
  userId: string;
  memberId: string;
  role: MemberRole;
  scopeLimit: string[] | null;
  own: Chosen | null;
  ofWorkspace: Chosen | null;
}

/** One row of `notification_preference` as JSON, in the words of `Chosen`. */
const chosen = (row: string): string =>
  `case when ${row}.workspace_id is not null
     then jsonb_build_object('channels', ${row}.channels, 'digest', ${row}.digest, 'quietHours', ${row}.quiet_hours)
   end`;

/** The members of a workspace with what is in force for each. Platform only. */
export async function readAudience(tx: Tx, workspaceId: string): Promise<Audience> {
  const rows = await tx.rows<Row>(
    `select
       w.name as workspace, w.timezone, m.user_id as "userId", m.id as "memberId", m.role,
       m.scope_limit as "scopeLimit", ${chosen('p')} as own, ${chosen('d')} as "ofWorkspace"
     from workspace w
     join member m on m.workspace_id = w.id
     left join notification_preference p on p.workspace_id = w.id and p.user_id = m.user_id
     left join notification_preference d on d.workspace_id = w.id and d.user_id is null
     where w.id = $1 and w.deleted_at is null
     order by m.joined_at, m.id
     limit ${MOST_MEMBERS}`,
    [workspaceId],
  );
  return {
    workspaceName: rows[0]?.workspace ?? workspaceId,
    hearers: rows.map(({ userId, memberId, role, scopeLimit, own, ofWorkspace, timezone }) => ({
      userId,
      memberId,
      role,
      scopeLimit,
      preferences: preferencesOf(own ?? NOTHING_CHOSEN, ofWorkspace ?? NOTHING_CHOSEN, firstTimezone(timezone)),
    })),
  };
}
