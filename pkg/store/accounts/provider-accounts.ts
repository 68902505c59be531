import type { Tx } from '../../postgres/database.ts';
import { tellTime } from '../events/tell-time.ts';
import { limitsWithMailDay } from './mail-day-limit.ts';

/** A mailbox or a calendar as its settings tools see it. Times epoch ms, product time. */
export interface ProviderAccountRow {
  id: string;
  email: string;
  capability: 'mail' | 'calendar';
  /** As the provider left it: of a mailbox as in `network_account`, of a calendar as in `calendar_account`. */
  status: string;
  /** By a person, or by itself. */
  paused: boolean;
  timezone: string;
  detectedTimezone: string | null;
  timezoneOverridden: boolean;
  /** Null: the default. */
  startHour: number | null;
  endHour: number | null;
  /** Mails a day as configured; null: the default, or a calendar. */
  limit: number | null;
  /** Units of today that its mails took. */
  sentToday: number;
  /** Real ms between two mails; null: a calendar. */
  minGapMs: number | null;
  signature: string;
  bufferBefore: number;
  bufferAfter: number;
  isDefault: boolean;
  createdAt: number;
}

/** Mailboxes, and calendars that are connected, of the workspaces `$1`; `$2`: epoch ms, product time. */
const ROWS = `
  select
    a.id, m.address as email, 'mail' as capability, a.status, a.paused or l.paused as paused, a.timezone,
    m.detected_timezone as "detectedTimezone", m.timezone_overridden as "timezoneOverridden",
    (a.business_hours ->> 'startHour')::int as "startHour", (a.business_hours ->> 'endHour')::int as "endHour",
    (a.limits -> 'mail' ->> 'day')::int as "limit",
    case
      when b.head_date = (to_timestamp($2::bigint / 1000.0) at time zone a.timezone)::date then b.used[1]
      else 0
    end as "sentToday",
    m.min_gap_ms as "minGapMs", m.signature, 0 as "bufferBefore", 0 as "bufferAfter", l.is_default as flag,
    l.workspace_id as workspace, a.created_at as "createdAt"
  from account_link l
  join network_account a on a.id = l.account_id and a.kind = 'mail'
  join mailbox m on m.account_id = a.id
  left join account_budget b on b.account_id = a.id and b.action = 'mail'
  where l.workspace_id = any ($1::text[])
  union all
  select
    c.id, c.email, 'calendar', case when i.status = 'needs_auth' then i.status else c.status end, false, c.timezone,
    c.detected_timezone, c.timezone_overridden, c.start_hour, c.end_hour, null, 0, null, '', c.buffer_before, c.buffer_after, c.is_default, c.workspace_id, c.created_at
  from calendar_account c
  left join integration i on i.id = c.id and c.sealed is null and i.deleted_at is null
  where c.workspace_id = any ($1::text[]) and c.deleted_at is null`;

/** As ROWS; the default of a workspace is the one that was chosen, else the first that works. */
const RANKED = `
  select
    x.*,
    x.flag or not bool_or(x.flag) over of_kind and row_number() over in_turn = 1 as "isDefault"
  from (${ROWS}) x
  window
    of_kind as (partition by x.workspace, x.capability),
    in_turn as (
      partition by x.workspace, x.capability
      order by x.status not in ('ok', 'connected'), x.paused, x."createdAt", x.id
    )`;

/** Which accounts of a workspace are listed. */
export interface ProviderAccountPage {
  workspaceId: string;
  /** Absent: of both. */
  capability?: ProviderAccountRow['capability'] | undefined;
  /** Absent: all. */
  id?: string | undefined;
  /** Epoch ms, product time. */
  now: number;
  /** createdAt and id of the last one before the page. */
  after: readonly (string | number | null)[] | null;
  fetch: number;
}

/** A page of the workspace's accounts, the oldest first. */
export function listProviderAccounts(tx: Tx, page: ProviderAccountPage): Promise<ProviderAccountRow[]> {
  const { workspaceId, capability, id, now, after, fetch } = page;
  return tx.rows(
    `select y.*
     from (${RANKED}) y
     where ($3::bigint is null or (y."createdAt", y.id) > ($3::bigint, $4::text))
       and ($6::text is null or y.capability = $6)
       and ($7::text is null or y.id = $7)
     order by y."createdAt", y.id limit $5`,
    [[workspaceId], now, after?.[0] ?? null, after?.[1] ?? null, fetch, capability ?? null, id ?? null],
  );
}

/** An account of one of the workspaces; of several that share it the first one's; undefined: none of theirs. */
export function readProviderAccount(
  tx: Tx,
  workspaceIds: readonly string[],
  id: string,
  now: number,
): Promise<ProviderAccountRow | undefined> {
  return tx.row(`select y.* from (${RANKED}) y where y.id = $3 order by y.workspace limit 1`, [workspaceIds, now, id]);
}

/** The mailbox that the workspace sends from where none is named: its default; undefined: it has none. */
export function defaultMailbox(tx: Tx, workspaceId: string, now: number): Promise<ProviderAccountRow | undefined> {
  return tx.row(`select y.* from (${RANKED}) y where y.capability = 'mail' and y."isDefault"`, [[workspaceId], now]);
}

/** What a person sets of a mailbox, each as it is to stand. */
export interface MailboxSettings {
  timezone: string;
  timezoneOverridden: boolean;
  /** {days, startHour, endHour, timezoneMode}; null: the default. */
  hours: object | null;
  /** Mails a day; null: the default. */
  limit: number | null;
  minGapMs: number;
  signature: string;
}

/** Writes the settings of a mailbox. @param now epoch ms, product time */
export async function keepMailboxSettings(
  tx: Tx,
  accountId: string,
  settings: MailboxSettings,
  now: number,
): Promise<void> {
  await tellTime(tx, now);
  await tx.exec(
    `update network_account
     set
       timezone = $2,
       business_hours = $3,
       limits = ${limitsWithMailDay('$4')}
     where id = $1`,
    [accountId, settings.timezone, settings.hours === null ? null : JSON.stringify(settings.hours), settings.limit],
  );
  await tx.exec(
    `update mailbox
     set timezone_overridden = $2, min_gap_ms = $3, signature = $4
     where account_id = $1`,
    [accountId, settings.timezoneOverridden, settings.minGapMs, settings.signature],
  );
}

/** What a person sets of a calendar, each as it is to stand. */
export interface CalendarSettings {
  timezone: string;
  timezoneOverridden: boolean;
  startHour: number;
  endHour: number;
  bufferBefore: number;
  bufferAfter: number;
}

/** Writes the settings of a calendar. */
export async function keepCalendarSettings(tx: Tx, id: string, settings: CalendarSettings): Promise<void> {
  const { timezone, timezoneOverridden, startHour, endHour, bufferBefore, bufferAfter } = settings;
  await tx.exec(
    `update calendar_account
     set
       timezone = $2,
       timezone_overridden = $3,
       start_hour = $4,
       end_hour = $5,
       buffer_before = $6,
       buffer_after = $7
     where id = $1`,
    [id, timezone, timezoneOverridden, startHour, endHour, bufferBefore, bufferAfter],
  );
}

/** Makes a mailbox the default of workspaces that have it, in place of any other, or no longer. */
export async function keepDefaultMailbox(
  tx: Tx,
  workspaceIds: readonly string[],
  accountId: string,
  isDefault: boolean,
): Promise<void> {
  await tx.exec(
    `update account_link l
     set is_default = $3 and l.account_id = $2
     where l.workspace_id = any ($1::text[])
       and (l.account_id = $2 or $3 and l.is_default)
       and exists (select 1 from account_link o where o.account_id = $2 and o.workspace_id = l.workspace_id)
       and exists (select 1 from network_account a where a.id = l.account_id and a.kind = 'mail')`,
    [workspaceIds, accountId, isDefault],
  );
}

/** Makes a calendar the default of its workspace in place of any other, or no longer. */
export async function keepDefaultCalendar(tx: Tx, id: string, isDefault: boolean): Promise<void> {
  await tx.exec(
    `update calendar_account c
     set is_default = $2 and c.id = $1
     from calendar_account o
     where o.id = $1 and c.workspace_id = o.workspace_id and (c.id = $1 or $2 and c.is_default)`,
    [id, isDefault],
  );
}
