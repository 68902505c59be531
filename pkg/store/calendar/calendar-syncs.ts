import type { Tx } from '../../postgres/database.ts';
import { tellMeeting } from './calendar-changes.ts';

/** Real seconds for which one process may read the changes of a calendar. */
const LEASE_SECONDS = 60;

/** A calendar whose changes are to be read. */
export interface DueSync {
  calendarId: string;
  workspaceId: string;
  /** null: everything is looked at first. */
  token: string | null;
  failures: number;
  url: string;
  googleCalendarId: string;
  sealed: Buffer;
  /** For whom the credentials are sealed. */
  sealOwner: string;
}

/** Takes the lease of the calendar whose turn it is, unless its vendor has to be allowed anew. Platform only. */
export function takeSync(tx: Tx, holder: string): Promise<DueSync | undefined> {
  return tx.row<DueSync>(
    `update calendar_sync s
     set holder = $1, lease_until = clock_timestamp() + interval '${LEASE_SECONDS} seconds'
     from calendar_account c
     left join integration i on i.id = c.id and c.sealed is null and i.deleted_at is null
     where c.id = s.calendar_id
       and s.calendar_id = (
         select x.calendar_id
         from calendar_sync x
         join calendar_account y on y.id = x.calendar_id and y.deleted_at is null and y.status = 'connected'
         left join integration z on z.id = y.id and y.sealed is null and z.deleted_at is null
         where x.due_at <= clock_timestamp()
           and (x.lease_until is null or x.lease_until < clock_timestamp())
           and coalesce(y.sealed, z.sealed) is not null
           and z.status is distinct from 'needs_auth'
         order by x.due_at
         limit 1
         for update of x skip locked
       )
     returning s.calendar_id as "calendarId", s.workspace_id as "workspaceId", s.token, s.failures, c.url,
       c.calendar_id as "googleCalendarId", coalesce(c.sealed, i.sealed) as sealed,
       case when c.sealed is null then 'integration:' else 'calendar:' end || c.id as "sealOwner"`,
    [holder],
  );
}

/** What a look came to: `token` undefined keeps the one before; `inMs`: real ms until the next one. */
interface Look {
  token?: string | null;
  failures: number;
  inMs: number;
}

/** Ends a look, where the lease is still the holder's, locked to the end of the transaction. @returns false: it is not */
export async function endSync(tx: Tx, calendarId: string, holder: string, look: Look): Promise<boolean> {
  const { token, failures, inMs } = look;
  const ended = await tx.exec(
    `update calendar_sync
     set
       token = case when $3 then $4 else token end,
       failures = $5,
       due_at = clock_timestamp() + make_interval(secs => $6 / 1000.0),
       holder = null,
       lease_until = null
     where calendar_id = $1 and holder = $2 and lease_until > clock_timestamp()`,
    [calendarId, holder, token !== undefined, token ?? null, failures, inMs],
  );
  return ended > 0;
}

/** Whether meetings that this service made lie ahead in a calendar. @param now epoch ms, product time */
export async function hasMeetingsAhead(tx: Tx, calendarId: string, now: number): Promise<boolean> {
  const row = await tx.row(
    `select 1
     from calendar_change
     where account_id = $1
       and kind = 'create'
       and state = 'done'
       and (wish ->> 'end')::bigint > $2
     limit 1`,
    [calendarId, now],
  );
  return row !== undefined;
}

/**
 * Keeps that somebody deleted meetings of ours in the calendar itself, and tells of each once: what a tool deleted is known already.
 * @param eventIds of events that the calendar has no more
 * @param now epoch ms, product time
 * @returns how many that were
 */
export async function meetingsGone(
  tx: Tx,
  { calendarId, workspaceId }: Pick<DueSync, 'calendarId' | 'workspaceId'>,
  eventIds: readonly string[],
  newId: () => string,
  now: number,
): Promise<number> {
  let count = 0;
  for (const eventId of eventIds) {
    const made = await tx.row<{ attendees: string[] }>(
      `with made as (
         select c.event_id, coalesce(l.wish -> 'attendees', c.wish -> 'attendees', '[]') as attendees
         from calendar_change c
         left join lateral (
           select u.wish
           from calendar_change u
           where u.account_id = c.account_id
             and u.event_id = c.event_id
             and u.kind = 'update'
             and u.state = 'done'
             and u.wish ? 'attendees'
           order by u.created_at desc, u.id desc limit 1
         ) l on true
         where c.account_id = $2
           and c.workspace_id = $3
           and c.event_id = $4
           and c.kind = 'create'
           and c.state = 'done'
           and not exists (
             select 1
             from calendar_change d
             where d.account_id = c.account_id and d.event_id = c.event_id and d.kind = 'delete' and d.state <> 'failed'
           )
         limit 1
       )
       insert into calendar_change (
         id, workspace_id, account_id, kind, event_id, wish, state, made_by, created_at, ended_at
       )
       select $1, $3, $2, 'delete', m.event_id, '{"notify": false}', 'done', 'calendar', $5, $5
       from made m
       returning array(select jsonb_array_elements_text(m.attendees) from made m) as attendees`,
      [newId(), calendarId, workspaceId, eventId, now],
    );
    if (!made) continue;
    count++;
    const meeting = { workspaceId, meetingId: eventId, startsAt: 0, attendees: made.attendees, now };
    if (made.attendees.length > 0) await tellMeeting(tx, { ...meeting, kind: 'meeting.cancelled' });
  }
  return count;
}
