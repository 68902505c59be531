import type { Tx } from '../../postgres/database.ts';
import type { NewMailbox } from '../mail/mailboxes.ts';

/** A calendar as it is connected. `sealed`: its credentials, sealed for the owner `calendar:<id>`; null: its integration has them. */
export interface NewCalendar {
  id: string;
  workspaceId: string;
  provider: 'caldav' | 'google';
  email: string;
  url: string;
  calendarId: string;
  sealed: Buffer | null;
  /** Which calendar it is, in all workspaces (the first of Sealer.marks of calendarIdentity). */
  identity: Buffer;
  /** IANA name; null: its server does not say, and the one that it had stays. */
  timezone: string | null;
  serverInvites: boolean;
  /** Epoch ms, product time. */
  now: number;
}

/** The calendar of the workspace behind an address, or of an owner: connecting it again changes it. */
export async function findOwnCalendar(
  tx: Tx,
  of: { workspaceId: string; provider: string; url: string; calendarId: string },
): Promise<string | undefined> {
  const row = await tx.row<{ id: string }>(
    `select id
     from calendar_account
     where workspace_id = $1 and provider = $2 and url = $3 and calendar_id = $4 and deleted_at is null
     order by created_at, id limit 1`,
    [of.workspaceId, of.provider, of.url, of.calendarId],
  );
  return row?.id;
}

/** Connects a calendar, or gives one of the workspace other credentials. @returns false when it was disconnected */
export async function keepCalendar(tx: Tx, calendar: NewCalendar): Promise<boolean> {
  const { id, workspaceId, provider, email, url, calendarId, sealed, identity, timezone, serverInvites, now } =
    calendar;
  const kept = await tx.exec(
    `insert into calendar_account (
       id, workspace_id, provider, email, url, calendar_id, sealed, timezone, detected_timezone, server_invites,
       created_at, identity
     )
     values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, 'UTC'), $8, $9, $10, $11)
     on conflict (id) do update set
       email = excluded.email,
       url = excluded.url,
       calendar_id = excluded.calendar_id,
       sealed = excluded.sealed,
       identity = excluded.identity,
       timezone = case
         when calendar_account.timezone_overridden then calendar_account.timezone
         else coalesce($8, calendar_account.timezone)
       end,
       detected_timezone = coalesce($8, calendar_account.detected_timezone),
       server_invites = excluded.server_invites,
       status = 'connected'
       where calendar_account.deleted_at is null and calendar_account.workspace_id = excluded.workspace_id`,
    [id, workspaceId, provider, email, url, calendarId, sealed, timezone, serverInvites, now, identity],
  );
  if (kept > 0 && provider === 'google') await beginCalendarSync(tx, workspaceId, id);
  return kept > 0;
}

/** Changes of the calendar are read from now on. */
async function beginCalendarSync(tx: Tx, workspaceId: string, calendarId: string): Promise<void> {
  await tx.exec(
    `insert into calendar_sync (calendar_id, workspace_id)
     values ($1, $2)
     on conflict (calendar_id) do update set token = null, due_at = clock_timestamp(), failures = 0`,
    [calendarId, workspaceId],
  );
}

/** Whether an id is that of a calendar or a mailbox. */
export async function isAccount(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.row(
    `select 1 from calendar_account where id = $1 and deleted_at is null
     union all
     select 1 from mailbox where account_id = $1`,
    [id],
  );
  return row !== undefined;
}

/** Disconnects the account of an integration: a calendar is forgotten, a mailbox is not the workspace's any more. @param now product time */
export async function endAccount(tx: Tx, workspaceId: string, id: string, now: number): Promise<void> {
  await tx.exec(
    `update calendar_account
     set deleted_at = $3, sealed = null
     where id = $1 and workspace_id = $2 and deleted_at is null`,
    [id, workspaceId, now],
  );
  await tx.exec('delete from calendar_sync where calendar_id = $1 and workspace_id = $2', [id, workspaceId]);
  await tx.exec('delete from account_link where account_id = $1 and workspace_id = $2', [id, workspaceId]);
}

/** How workspaces open mailboxes that they connect by themselves. */
export const OWN_PROVIDERS = ['smtp', 'gmail'] as const;
type OwnProvider = (typeof OWN_PROVIDERS)[number];

/** Connects a mailbox of the workspace. @returns its account; null: a workspace of somebody else has it */
export async function connectOwnMailbox(
  tx: Tx,
  workspaceId: string,
  {
    sealed,
    now,
    ...box
  }: Omit<NewMailbox, 'provider' | 'resume' | 'dailyMailLimit' | 'sealed'> & {
    provider: OwnProvider;
    /** null: the integration of the same id has what opens it. */
    sealed: Buffer | null;
  },
): Promise<string | null> {
  const row = await tx.row<{ id: string | null }>('select app.connect_own_mailbox($1, $2, $3, $4) as id', [
    workspaceId,
    JSON.stringify(box),
    sealed,
    now,
  ]);
  return row?.id ?? null;
}
