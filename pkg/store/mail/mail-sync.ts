import type { MailReportKind } from '../../domain/bounce-fault.ts';
import type { Tx } from '../../postgres/database.ts';
import { tellTime } from '../events/tell-time.ts';

/** A mail of the inbox as it is matched with what was sent. */
export interface MailToMatch {
  uid: number;
  /** Ids of our sends that it names. */
  sendIds: readonly string[];
  /** Message-IDs that it names, ours or not. */
  mentions: readonly string[];
  from: string;
  /** Of the sender; null for a free-mail provider, whose domain says nothing. */
  domain: string | null;
  /** Lower case, as `plainSubject`. */
  subject: string;
}

export interface MailMatch {
  uid: number;
  sendId: string;
  personId: string;
  /** It names the send, or one of the thread. */
  named: boolean;
  /** Others whom we write to at the sender's address. */
  writers: readonly string[];
}

/** Which mails answer ours: by thread, else by address, else by the lead's domain with our subject. */
export async function matchMails(tx: Tx, accountId: string, mails: readonly MailToMatch[]): Promise<MailMatch[]> {
  if (mails.length === 0) return [];
  return tx.rows<MailMatch>(
    'select uid, send_id as "sendId", person_id as "personId", named, writers from app.match_mails($1, $2)',
    [accountId, JSON.stringify(mails)],
  );
}

/** A mail that left: to whom, where (in the form of mailIdentity) and what it said. */
export interface SentMailRow {
  sendId: string;
  personId: string;
  address: string | null;
  subject: string;
  body: string;
}

/** What we wrote to these persons by mail, the newest 20 of each. */
export async function readSentMails(tx: Tx, accountId: string, persons: readonly string[]): Promise<SentMailRow[]> {
  if (persons.length === 0) return [];
  return tx.rows<SentMailRow>(
    `select send_id as "sendId", person_id as "personId", address, subject, body
     from app.sent_mails($1, $2::uuid[])`,
    [accountId, persons],
  );
}

/** Addresses (in the form of mailIdentity) of the mailboxes of all workspaces of this one, by account. */
export async function readOwnMailboxes(tx: Tx, accountId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.rows<{ accountId: string; address: string }>(
    'select account_id as "accountId", address from app.own_mailboxes($1)',
    [accountId],
  );
  return new Map(rows.map((row) => [row.accountId, row.address]));
}

/** Keeps that a mail came back or was complained about; false when it is known, or about nobody. Times epoch ms. */
export async function recordMailReport(
  tx: Tx,
  report: {
    now: number;
    accountId: string;
    externalId: string;
    kind: MailReportKind;
    sendId: string | null;
    /** Null: whom the mail was for. */
    address: string | null;
    reason: string;
    at: number;
  },
): Promise<boolean> {
  const row = await tx.row<{ fresh: boolean }>(
    'select app.record_mail_report($1, $2, $3, $4, $5, $6, $7, $8) as fresh',
    [
      report.now,
      report.accountId,
      report.externalId,
      report.kind,
      report.sendId,
      report.address,
      report.reason,
      report.at,
    ],
  );
  return row?.fresh ?? false;
}

/** Pauses the mailbox when too much of what it sent came back; says why, null when all is well. */
export async function judgeMailbox(tx: Tx, now: number, accountId: string): Promise<string | null> {
  const row = await tx.row<{ why: string | null }>('select app.judge_mailbox($1, $2) as why', [now, accountId]);
  return row?.why ?? null;
}

/** Whether runs, people or attendees' meetings wait for news of this mailbox. @param now epoch ms, product time */
export async function mailboxExpects(tx: Tx, accountId: string, now: number): Promise<boolean> {
  await tellTime(tx, now);
  const row = await tx.row<{ expects: boolean }>('select app.mailbox_expects($1) as expects', [accountId]);
  return row?.expects ?? false;
}

/** How far the inbox was read, and when it was last read to its end (epoch ms product time). */
export async function readInboxMark(
  tx: Tx,
  accountId: string,
): Promise<{ validity: string | null; uid: number | null; readAt: number }> {
  const row = await tx.row<{ validity: string | null; uid: number | null; readAt: number | null }>(
    `select
       sync_state ->> 'inboxValidity' as validity,
       (sync_state ->> 'inboxUid')::bigint as uid,
       (sync_state ->> 'inboxReadAt')::bigint as "readAt"
     from account_wake
     where account_id = $1`,
    [accountId],
  );
  return { validity: row?.validity ?? null, uid: row?.uid ?? null, readAt: row?.readAt ?? 0 };
}

/** Keeps how far the inbox was read; `readAt`: when that was its end (epoch ms product time), null: more is left. */
export async function keepInboxMark(
  tx: Tx,
  accountId: string,
  mark: { validity: string; uid: number; readAt: number | null },
): Promise<void> {
  const state = { inboxValidity: mark.validity, inboxUid: mark.uid };
  await tx.exec('update account_wake set sync_state = sync_state || $2 where account_id = $1', [
    accountId,
    JSON.stringify(mark.readAt === null ? state : { ...state, inboxReadAt: mark.readAt }),
  ]);
}

/** Keeps the hash of the address by which a person may stop a workspace's mails. */
export async function keepUnsubscribeToken(
  tx: Tx,
  token: { hash: Buffer; workspaceId: string; personId: string; accountId: string; now: number },
): Promise<void> {
  await tx.exec(
    `insert into unsubscribe_token (token_hash, workspace_id, person_id, account_id, created_at)
     values ($1, $2, $3, $4, $5)`,
    [token.hash, token.workspaceId, token.personId, token.accountId, token.now],
  );
}

/** Which of these sends, known by the Message-IDs of mails, the ledger lacks. */
export async function lackingMails(tx: Tx, accountId: string, sendIds: readonly string[]): Promise<Set<string>> {
  if (sendIds.length === 0) return new Set();
  const rows = await tx.rows<{ id: string }>('select app.lacking_mails($1, $2::uuid[]) as id', [accountId, sendIds]);
  return new Set(rows.map((row) => row.id));
}
