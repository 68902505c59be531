import type { JsonObject } from '../../base/json.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** What is done to an event; answer: an attendee answered by mail. */
export type ChangeKind = 'create' | 'update' | 'delete' | 'answer';

/** A change that a tool asks for. */
export interface NewChange {
  id: string;
  workspaceId: string;
  accountId: string;
  kind: ChangeKind;
  eventId: string;
  wanted: JsonObject;
  /** Address or key of who asks. */
  by: string;
}

/** What became of a plan; where the same wish was open already, it is the change that was. */
export type PlannedChange = { changeId: string } | { refusal: 'no_account' | 'full' | 'told' };

/** Plans a change of an event, which the executor performs. @param now epoch ms, product time */
export async function planChange(tx: Tx, change: NewChange, now: number): Promise<PlannedChange> {
  const row = await tx.row<{ changeId: string | null; refusal: 'no_account' | 'full' | 'told' | null }>(
    `select change_id as "changeId", refusal
     from app.plan_calendar_change($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      change.id,
      change.workspaceId,
      change.accountId,
      change.kind,
      change.eventId,
      JSON.stringify(change.wanted),
      change.by,
      now,
    ],
  );
  if (row?.changeId) return { changeId: row.changeId };
  return { refusal: row?.refusal ?? 'no_account' };
}

/** How a change stands, for the one who asked. */
export interface ChangeView {
  state: 'open' | 'done' | 'failed';
  outcome: string | null;
  error: string | null;
  htmlLink: string;
}

/** @returns undefined when the transaction sees no such change */
export function readChange(tx: Tx, id: string): Promise<ChangeView | undefined> {
  return tx.row<ChangeView>(
    'select state, outcome, error, html_link as "htmlLink" from calendar_change where id = $1',
    [id],
  );
}

/** What is about to be written: after a lost answer everybody is told of what was done, and nobody of nothing. */
export interface ChangePlan {
  /** Addresses that are told of the event as it is then. */
  told: string[];
  /** Addresses that are told that it is off for them, and the iCalendar text that says so. */
  cancelled: string[];
  cancelText: string;
  /** Of the event before a deletion. */
  summary: string;
  startsAt: number;
}

/** A change whose time has come. */
export interface DueChange {
  id: string;
  accountId: string;
  kind: ChangeKind;
  eventId: string;
  wanted: JsonObject;
  plan: ChangePlan | null;
  tries: number;
  /** Epoch ms, product time. */
  failingSince: number | null;
}

/** Real work on a change takes so long at most, product ms: then it is due again. */
const WORK_MS = 120_000;

/**
 * Takes changes of the lease's workspace that are due, in the order in which they were asked for: of an event, and of a time of a
 * calendar, the second waits for the first.
 * @param taking `now`: epoch ms, product time; `busy`: calendars that are worked on; `anew`: also what an executor took that ended
 */
export function takeChanges(
  tx: Tx,
  taking: { now: number; busy: readonly string[]; anew: boolean; limit: number },
): Promise<DueChange[]> {
  return tx.rows<DueChange>(
    `with due as (
       select c.id
       from calendar_change c
       where c.workspace_id = app.workspace()
         and c.due_at <= $1::bigint + case when $3::boolean then ${WORK_MS} else 0 end
         and c.account_id <> all ($2::text[])
         and not exists (
           select 1
           from calendar_change o
           where o.account_id = c.account_id
             and o.ended_at is null
             and o.event_id = c.event_id
             and (o.created_at, o.id) < (c.created_at, c.id)
         )
       order by c.created_at, c.id limit $4
     ),
     taken as (
       update calendar_change c
       set due_at = $1::bigint + ${WORK_MS}
       from due
       where c.id = due.id
       returning c.*
     )
     select
       t.id, t.account_id as "accountId", t.kind, t.event_id as "eventId", t.wish as wanted, t.plan, t.tries,
       t.failing_since as "failingSince"
     from taken t
     order by t.created_at, t.id`,
    [taking.now, arrayText(taking.busy), taking.anew, taking.limit],
  );
}

/** Whether a freeze holds what is done to calendars, and until when (epoch ms, product time); undefined: none does. */
export function readCalendarStop(tx: Tx, now: number): Promise<{ until: number | null } | undefined> {
  return tx.row<{ until: number | null }>('select until from app.calendar_stop($1)', [now]);
}

/** Keeps what is about to be written. @returns whether the change is still open */
export async function keepPlan(tx: Tx, id: string, plan: ChangePlan): Promise<boolean> {
  const kept = await tx.exec('update calendar_change set plan = $2 where id = $1 and ended_at is null', [
    id,
    JSON.stringify(plan),
  ]);
  return kept > 0;
}

/** Ends a change. @param end `at`: epoch ms, product time @returns whether it was open */
export async function endChange(
  tx: Tx,
  id: string,
  end: { state: 'done' | 'failed'; outcome?: string; error?: string; htmlLink?: string; at: number },
): Promise<boolean> {
  const ended = await tx.exec(
    `update calendar_change
     set state = $2, outcome = $3, error = $4, html_link = coalesce($5, html_link), ended_at = $6, due_at = null
     where id = $1 and ended_at is null`,
    [id, end.state, end.outcome ?? null, end.error?.slice(0, 500) ?? null, end.htmlLink ?? null, end.at],
  );
  return ended > 0;
}

/** Tries a change again later. @param again `dueAt`, `now`: epoch ms, product time; `counts`: it was a failure of its own */
export async function delayChange(
  tx: Tx,
  id: string,
  again: { dueAt: number; error: string; counts: boolean; now: number },
): Promise<void> {
  await tx.exec(
    `update calendar_change
     set
       due_at = $2,
       error = $3,
       tries = tries + case when $4 then 1 else 0 end,
       failing_since = case when $4 then coalesce(failing_since, $5) else failing_since end
     where id = $1 and ended_at is null`,
    [id, again.dueAt, again.error.slice(0, 500), again.counts, again.now],
  );
}

/** One mail that tells an attendee of a change. */
export interface NewInvitation {
  id: string;
  to: string;
  subject: string;
  text: string;
  calendar: string;
  method: 'REQUEST' | 'CANCEL';
}

/** Plans mails to attendees, once for a change and an address. @param times epoch ms, product time */
export async function planInvitations(
  tx: Tx,
  changeId: string,
  mailboxId: string,
  mails: readonly NewInvitation[],
  times: { now: number; expiresAt: number },
): Promise<number> {
  if (mails.length === 0) return 0;
  const row = await tx.row<{ made: number }>('select app.plan_invitations($1, $2, $3, $4, $5) as made', [
    changeId,
    mailboxId,
    JSON.stringify(mails),
    times.expiresAt,
    times.now,
  ]);
  return row?.made ?? 0;
}

/** Tells that a meeting was arranged or cancelled: for each lead among its attendees, else once. @param meeting `now`: product time */
export async function tellMeeting(
  tx: Tx,
  meeting: {
    workspaceId: string;
    kind: 'meeting.created' | 'meeting.cancelled';
    meetingId: string;
    startsAt: number;
    attendees: readonly string[];
    now: number;
  },
): Promise<void> {
  await tx.exec(
    `insert into run_event (workspace_id, at, kind, actor, run_id, data)
     select
       $1,
       $2,
       $3,
       'engine',
       (select r.id from run r where r.workspace_id = $1 and r.lead_id = l.id order by r.started_at desc limit 1),
       jsonb_strip_nulls(jsonb_build_object('leadId', l.id, 'meetingId', $4::text, 'startsAt', $5::bigint))
     from (select 1) one
     left join lateral (
       select distinct on (lower(x.email)) x.id
       from lead x
       where coalesce(x.workspace_id, '') in ('', $1)
         and lower(x.email) = any ($6::text[])
         and x.email is not null
         and x.erased_at is null
       order by lower(x.email), x.workspace_id nulls last, x.id
     ) l on true`,
    [
      meeting.workspaceId,
      meeting.now,
      meeting.kind,
      meeting.meetingId,
      meeting.kind === 'meeting.created' ? meeting.startsAt : null,
      arrayText(meeting.attendees),
    ],
  );
}

/** When an event will be that is still to be made or moved, and who is invited. */
export interface PlannedEvent {
  start: number;
  end: number;
  allDay: boolean;
  attendees: string[];
}

/** What is planned of an event by the newest wish that names its times; undefined: nothing is. */
export function plannedEvent(tx: Tx, accountId: string, eventId: string): Promise<PlannedEvent | undefined> {
  return tx.row<PlannedEvent>(
    `select
       (t.times ->> 'start')::bigint as start, (t.times ->> 'end')::bigint as "end",
       coalesce((t.times ->> 'allDay')::boolean, false) as "allDay",
       coalesce(array(select jsonb_array_elements_text(c.wish -> 'attendees')), '{}') as attendees
     from calendar_change c
     cross join lateral (select coalesce(c.wish -> 'takes', c.wish) as times) t
     where c.account_id = $1
       and c.event_id = $2
       and c.ended_at is null
       and c.kind in ('create', 'update')
       and t.times ? 'start'
       and t.times ? 'end'
     order by c.created_at desc, c.id desc limit 1`,
    [accountId, eventId],
  );
}

/** Whether an event is still to be made, changed or deleted. */
export async function isChanging(tx: Tx, accountId: string, eventId: string): Promise<boolean> {
  const row = await tx.row(
    'select 1 from calendar_change where account_id = $1 and event_id = $2 and ended_at is null limit 1',
    [accountId, eventId],
  );
  return row !== undefined;
}

/** Keeps what an attendee answered by mail, where a calendar knows the event. @param now epoch ms, product time @returns how many do */
export async function hearAnswer(
  tx: Tx,
  mailboxId: string,
  reply: { uid: string; email: string; answer: string; sequence: number; saidAt: number | null },
  now: number,
): Promise<number> {
  const { uid, email, answer, sequence, saidAt } = reply;
  const row = await tx.row<{ heard: number }>('select app.hear_calendar_answer($1, $2, $3, $4, $5, $6, $7) as heard', [
    mailboxId,
    uid,
    email,
    answer,
    sequence,
    saidAt,
    now,
  ]);
  return row?.heard ?? 0;
}
