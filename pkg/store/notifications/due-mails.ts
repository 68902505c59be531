import type { JsonObject } from '../../base/json.ts';
import type { EventKind } from '../../domain/event-kinds.ts';
import { type Hearer, mayHear } from '../../domain/notifications/who-is-told.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import type { Tx } from '../../postgres/database.ts';

/** Product ms after which a mail that could not leave does not leave any more: no mail server was there, or the budget was spent. */
const STALE_MS = 86_400_000;
/** Notifications that one mail tells of at most; the others go with the next one. */
export const MOST_IN_A_MAIL = 50;

/** A member with notifications that are due by mail. */
export interface DueMember {
  workspaceId: string;
  userId: string;
}

/** A notification that is due by mail. */
export interface DueNotice {
  id: string;
  kind: EventKind;
  title: string;
  text: string;
  data: JsonObject;
}

/** Where a member's mails go. */
export interface MailedMember extends Pick<Hearer, 'role' | 'scopeLimit'> {
  email: string;
  workspaceName: string;
}

/** Members for whom something is due, those who waited longest first. Platform only. @param now epoch ms, product time */
export function membersDue(tx: Tx, now: number, limit: number): Promise<DueMember[]> {
  return tx.rows<DueMember>(
    `select workspace_id as "workspaceId", user_id as "userId"
     from notification
     where mail_at <= $1
     group by 1, 2
     order by min(mail_at)
     limit $2`,
    [now, limit],
  );
}

/** Locks what is due for a member, and drops what was read or is stale: read anywhere is no mail. @returns what is left, oldest first */
export async function takeDue(tx: Tx, { workspaceId, userId }: DueMember, now: number): Promise<DueNotice[]> {
  const rows = await tx.rows<DueNotice & { over: boolean }>(
    `select id, kind, title, text, data, read_at is not null or mail_at < $4 as over
     from notification
     where workspace_id = $1 and user_id = $2 and mail_at <= $3
     order by created_at, id
     limit ${MOST_IN_A_MAIL}
     for update skip locked`,
    [workspaceId, userId, now, now - STALE_MS],
  );
  await noMail(
    tx,
    rows.filter(({ over }) => over).map(({ id }) => id),
  );
  return rows.filter(({ over }) => !over);
}

/** They do not go by mail. */
export async function noMail(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.exec('update notification set mail_at = null where id = any ($1)', [ids]);
}

/** A mail that tells of them is queued. @param now epoch ms, product time */
export async function noteMailed(tx: Tx, ids: readonly string[], now: number): Promise<void> {
  await tx.exec('update notification set mail_at = null, mailed_at = $2 where id = any ($1)', [ids, now]);
}

/** They wait until then, for a mail that tells of all that waits by then. @param until epoch ms, product time */
export async function holdMails(tx: Tx, ids: readonly string[], until: number): Promise<void> {
  await tx.exec('update notification set mail_at = $2 where id = any ($1)', [ids, until]);
}

/** Undefined: no member any more, or nobody proved that the address is theirs. Platform only. */
export function mailedMember(tx: Tx, { workspaceId, userId }: DueMember): Promise<MailedMember | undefined> {
  return tx.row<MailedMember>(
    `select u.email, w.name as "workspaceName", m.role, m.scope_limit as "scopeLimit"
     from member m
     join app_user u on u.id = m.user_id and not u.unproven
     join workspace w on w.id = m.workspace_id and w.deleted_at is null
     where m.workspace_id = $1 and m.user_id = $2`,
    [workspaceId, userId],
  );
}

/** Which of these notifications their member has not read, while they are a member who may read them. Platform only. */
export async function stillUnread(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows<Pick<Hearer, 'role' | 'scopeLimit'> & { id: string; kind: EventKind }>(
    `select n.id, n.kind, m.role, m.scope_limit as "scopeLimit"
     from notification n
     join member m on m.workspace_id = n.workspace_id and m.user_id = n.user_id
     where n.id = any ($1::uuid[]) and n.read_at is null`,
    [ids],
  );
  const readable = rows.filter(({ kind, ...member }) => mayHear(member, EVENT_DEFINITIONS[kind].scope));
  return new Set(readable.map(({ id }) => id));
}
