import type { Tx } from '../../postgres/database.ts';

/** A connected calendar; `sealed` are its credentials. Hours are those in which meetings may lie, in its timezone. */
export interface CalendarRow {
  id: string;
  url: string;
  sealed: Buffer | null;
  /** For whom they are sealed: the calendar, or the integration that a vendor granted. */
  sealOwner: string;
  /** The vendor has to be allowed anew. */
  needsAuth: boolean;
  timezone: string;
  startHour: number;
  endHour: number;
  /** Whose wire format it speaks. */
  provider: 'caldav' | 'google';
  /** Whose calendar it is, who invites; '' where nobody said. */
  email: string;
  /** Google: which of the user's calendars. */
  calendarId: string;
  /** Its server sends invitations by itself. */
  serverInvites: boolean;
  /** The workspace's mailbox with the address of the calendar, by which attendees are told where the server does not; null: none. */
  mailboxId: string | null;
  /** Minutes that stay free before and after meetings. */
  bufferBefore: number;
  bufferAfter: number;
}

/** The calendar with this id, or the workspace's default, else its first; undefined when there is none. */
export function readCalendar(tx: Tx, workspaceId: string, id: string | null): Promise<CalendarRow | undefined> {
  return tx.row<CalendarRow>(
    `select
       c.id, c.url, coalesce(c.sealed, i.sealed) as sealed,
       case when c.sealed is null then 'integration:' else 'calendar:' end || c.id as "sealOwner",
       coalesce(i.status = 'needs_auth', false) as "needsAuth", c.timezone,
       c.start_hour as "startHour", c.end_hour as "endHour", c.provider, c.email,
       c.buffer_before as "bufferBefore", c.buffer_after as "bufferAfter",
       c.calendar_id as "calendarId", c.server_invites as "serverInvites",
       (
         select a.id
         from account_link l
         join network_account a on a.id = l.account_id
         where l.workspace_id = $1 and a.kind = 'mail' and lower(a.external_id) = lower(c.email)
         order by a.created_at, a.id limit 1
       ) as "mailboxId"
     from calendar_account c
     left join integration i on i.id = c.id and c.sealed is null and i.deleted_at is null
     where c.workspace_id = $1
       and c.deleted_at is null
       and c.status = 'connected'
       and ($2::text is null or c.id = $2)
     order by c.is_default desc, c.created_at, c.id limit 1`,
    [workspaceId, id],
  );
}
