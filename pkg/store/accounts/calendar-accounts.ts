import type { Tx } from '../../postgres/database.ts';

/** A connected calendar; `sealed` are its credentials. Hours are those in which meetings may lie, in its timezone. */
export interface CalendarRow {
  id: string;
  url: string;
  /** Of its owner; '' where nobody said. */
  email: string;
  sealed: Buffer | null;
  timezone: string;
  startHour: number;
  endHour: number;
}

/** The calendar with this id, or the workspace's first; undefined when there is none. */
export function readCalendar(tx: Tx, workspaceId: string, id: string | null): Promise<CalendarRow | undefined> {
  return tx.row<CalendarRow>(
    `select id, url, email, sealed, timezone, start_hour as "startHour", end_hour as "endHour"
     from calendar_account
     where workspace_id = $1
       and deleted_at is null
       and status = 'connected'
       and ($2::text is null or id = $2)
     order by created_at, id limit 1`,
    [workspaceId, id],
  );
}
