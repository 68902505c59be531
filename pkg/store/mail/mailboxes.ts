import type { Tx } from '../../postgres/database.ts';

/** A mailbox as it is stored; the password is sealed for its account. */
export interface MailboxRow {
  accountId: string;
  provider: string;
  displayName: string;
  address: string;
  smtpHost: string;
  smtpPort: number;
  smtpTls: 'implicit' | 'starttls' | 'none';
  imapHost: string;
  imapPort: number;
  imapTls: 'implicit' | 'starttls' | 'none';
  username: string;
  /** Where its servers may lie: a workspace that chose them reaches the public internet alone. */
  reach: 'public' | 'any';
  sealed: Buffer | null;
  savesSent: boolean;
  sentFolder: string;
}

const COLUMNS = `m.account_id as "accountId", a.provider, a.display_name as "displayName", m.address, m.smtp_host as "smtpHost", m.smtp_port as "smtpPort",
  m.smtp_tls as "smtpTls", m.imap_host as "imapHost", m.imap_port as "imapPort", m.imap_tls as "imapTls", m.username, m.reach, m.sealed, m.saves_sent as "savesSent",
  m.sent_folder as "sentFolder"`;

/** A mailbox that the caller may see; undefined for an account that is none. */
export function readMailbox(tx: Tx, accountId: string): Promise<MailboxRow | undefined> {
  return tx.row<MailboxRow>(
    `select ${COLUMNS} from mailbox m join network_account a on a.id = m.account_id where m.account_id = $1`,
    [accountId],
  );
}

/** What a vendor granted for a mailbox that its API opens. */
export interface MailboxGrant {
  /** Credentials, sealed for `integration:<account>`. */
  sealed: Buffer | null;
  /** Of the API; '': the usual one. */
  url: string;
  /** Its owner has to allow it anew. */
  needsAuth: boolean;
}

/** @returns undefined where nothing was granted, or the caller may not use the account */
export function readMailboxGrant(tx: Tx, accountId: string): Promise<MailboxGrant | undefined> {
  return tx.row<MailboxGrant>('select sealed, url, needs_auth as "needsAuth" from app.mailbox_grant($1)', [accountId]);
}

/** The address of a mailbox, and why it paused itself (empty: it did not). */
export interface MailboxPause {
  address: string;
  pauseReason: string;
}

/** @throws Error for an account without a mailbox */
export async function readMailboxPause(tx: Tx, accountId: string): Promise<MailboxPause> {
  const row = await tx.row<MailboxPause>(
    'select address, pause_reason as "pauseReason" from mailbox where account_id = $1',
    [accountId],
  );
  if (!row) throw new Error(`account ${accountId} has no mailbox`);
  return row;
}

/** What mail footers name as the sender's postal address; empty when the workspace gives none. */
export async function readPostalAddress(tx: Tx, workspaceId: string): Promise<string> {
  const row = await tx.row<{ address: string | null }>(
    `select settings ->> 'senderPostalAddress' as address from workspace where id = $1`,
    [workspaceId],
  );
  return row?.address ?? '';
}

/** What the mails of a mailbox end with; empty: nothing. */
export async function readSignature(tx: Tx, accountId: string): Promise<string> {
  const row = await tx.row<{ signature: string }>('select signature from mailbox where account_id = $1', [accountId]);
  return row?.signature ?? '';
}

/** Which of these addresses (lower case) mails of the workspace have bounced from. */
export async function readBounced(tx: Tx, workspaceId: string, addresses: readonly string[]): Promise<Set<string>> {
  if (addresses.length === 0) return new Set();
  const rows = await tx.rows<{ address: string }>('select app.bounced_addresses($1, $2) as address', [
    workspaceId,
    addresses,
  ]);
  return new Set(rows.map((row) => row.address));
}

/** What a mailbox is connected with. `sealed`: the password, sealed for the owner `mailbox:<accountId>`. */
export interface NewMailbox extends Omit<MailboxRow, 'sealed'> {
  sealed: Buffer;
  timezone: string;
  /** A person named the timezone. Absent: nobody did, or it is as before. */
  timezoneGiven?: boolean;
  /** Mails a day. */
  dailyMailLimit: number;
  /** Lifts a pause: of a mailbox that paused itself what it sent until now counts no longer (app.judge_mailbox). */
  resume: boolean;
  /** Epoch ms, product time. */
  now: number;
}

/** What of a known mailbox stays where nothing else is said. */
export type KnownMailbox = Pick<NewMailbox, 'accountId' | 'address' | 'displayName' | 'timezone' | 'dailyMailLimit'> & {
  paused: boolean;
  /** Why it paused itself; empty: it did not. */
  pauseReason: string;
};

/** Who a mailbox's password is sealed for. */
export const mailboxOwner = (accountId: string): string => `mailbox:${accountId}`;

/**
 * The mailbox of an address, in any case of its letters: connecting it again changes it, it does not make a second one.
 * @param provider or any of several, by which it may be opened
 */
export function findMailbox(
  tx: Tx,
  provider: string | readonly string[],
  address: string,
): Promise<KnownMailbox | undefined> {
  return tx.row(
    `select a.id as "accountId", m.address, a.display_name as "displayName", a.timezone,
       a.paused, m.pause_reason as "pauseReason", coalesce((a.limits -> 'mail' ->> 'day')::int, 40) as "dailyMailLimit"
     from network_account a join mailbox m on m.account_id = a.id
     where a.kind = 'mail' and a.provider = any ($1) and lower(a.external_id) = lower($2)
     order by a.created_at, a.id limit 1`,
    [[provider].flat(), address],
  );
}

/** Connects a mailbox, or changes one, and links it to a workspace; its inbox is read at once. A pause stays unless it is to resume. */
export async function connectMailbox(tx: Tx, workspaceId: string, box: NewMailbox): Promise<void> {
  await tx.exec(
    `insert into network_account (
       id, kind, provider, external_id, display_name, status, status_since, timezone, limits, created_at
     )
     values (
       $1,
       'mail',
       $2,
       $3,
       $4,
       'ok',
       $6,
       $5,
       jsonb_build_object('mail', jsonb_build_object('day', $7::int)),
       $6
     )
     on conflict (id) do update set
       display_name = excluded.display_name,
       timezone = excluded.timezone,
       limits = excluded.limits,
       paused = network_account.paused and not $8::boolean`,
    [box.accountId, box.provider, box.address, box.displayName, box.timezone, box.now, box.dailyMailLimit, box.resume],
  );
  await tx.exec(
    `insert into mailbox (
       account_id, address, smtp_host, smtp_port, smtp_tls, imap_host, imap_port, imap_tls, username, sealed,
       saves_sent, sent_folder, timezone_overridden, reach
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $15, $16)
     on conflict (account_id) do update set
       address = excluded.address,
       smtp_host = excluded.smtp_host,
       smtp_port = excluded.smtp_port,
       smtp_tls = excluded.smtp_tls,
       imap_host = excluded.imap_host,
       imap_port = excluded.imap_port,
       imap_tls = excluded.imap_tls,
       username = excluded.username,
       reach = excluded.reach,
       sealed = excluded.sealed,
       saves_sent = excluded.saves_sent,
       sent_folder = excluded.sent_folder,
       timezone_overridden = mailbox.timezone_overridden or excluded.timezone_overridden,
       judged_since = case
         when $13::boolean and mailbox.pause_reason <> '' then $14::bigint
         else mailbox.judged_since
       end,
       pause_reason = case when $13::boolean then '' else mailbox.pause_reason end`,
    [
      box.accountId,
      box.address,
      box.smtpHost,
      box.smtpPort,
      box.smtpTls,
      box.imapHost,
      box.imapPort,
      box.imapTls,
      box.username,
      box.sealed,
      box.savesSent,
      box.sentFolder,
      box.resume,
      box.now,
      box.timezoneGiven ?? false,
      box.reach,
    ],
  );
  await tx.exec(
    'insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, $3) on conflict do nothing',
    [box.accountId, workspaceId, box.now],
  );
  await tx.exec(
    `insert into account_wake (account_id, due_at)
     values ($1, $2)
     on conflict (account_id) do update set due_at = excluded.due_at, hinted = true`,
    [box.accountId, box.now],
  );
}
