import type { JsonObject } from '../../base/json.ts';
import type { EventKind } from '../../domain/event-kinds.ts';
import type { Tx } from '../../postgres/database.ts';

/** Product ms for which is kept who was told of which event; the reader's position is behind it long before. */
const KEPT_MS = 7 * 86_400_000;

/** A notification that a reader of events makes, or grows. */
export interface NewNotice {
  id: string;
  workspaceId: string;
  userId: string;
  kind: EventKind;
  groupKey: string | null;
  /** Unique of the member: of the first event. */
  origin: string;
  /** All events that it tells of. */
  events: number;
  title: string;
  text: string;
  data: JsonObject;
  nextTool: string | null;
  inApp: boolean;
  /** Epoch ms, product time, as all times here; null: it does not go by mail. */
  mailAt: number | null;
  now: number;
}

/** What is unread of a group. */
export interface OpenGroup {
  id: string;
  userId: string;
  groupKey: string;
  events: number;
  mailAt: number | null;
  mailedAt: number | null;
}

/**
 * Notes that members are told of events. @returns those that they were not told of yet; the constraint decides, so that nobody is
 * told twice by whatever reads. Platform only.
 */
export async function claimEvents<T extends { userId: string; seq: number }>(
  tx: Tx,
  workspaceId: string,
  now: number,
  pairs: readonly T[],
): Promise<T[]> {
  const made = await tx.rows<{ userId: string; seq: number }>(
    `insert into notification_event (workspace_id, user_id, seq, told_at)
     select $1, u, s, $2
     from unnest($3::uuid[], $4::bigint[]) as q (u, s)
     on conflict do nothing
     returning user_id as "userId", seq`,
    [workspaceId, now, pairs.map(({ userId }) => userId), pairs.map(({ seq }) => seq)],
  );
  const fresh = new Set(made.map(({ userId, seq }) => `${userId} ${seq}`));
  return pairs.filter(({ userId, seq }) => fresh.has(`${userId} ${seq}`));
}

/** Forgets who was told of what long ago. */
export function forgetOldEvents(tx: Tx, now: number): Promise<number> {
  return tx.exec('delete from notification_event where told_at < $1', [now - KEPT_MS]);
}

/** Which of these origins members have a notification of: an older executor, or a door of its own, told them directly. */
export async function toldDirectly(tx: Tx, workspaceId: string, origins: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ userId: string; origin: string }>(
    'select user_id as "userId", origin from notification where workspace_id = $1 and origin = any ($2)',
    [workspaceId, origins],
  );
  return new Set(rows.map(({ userId, origin }) => `${userId} ${origin}`));
}

/** Locks what is unread of these groups: nobody reads it while it grows. */
export function lockGroups(tx: Tx, workspaceId: string, keys: readonly string[]): Promise<OpenGroup[]> {
  return tx.rows<OpenGroup>(
    `select
       id, user_id as "userId", group_key as "groupKey", events, mail_at as "mailAt", mailed_at as "mailedAt"
     from notification
     where workspace_id = $1 and group_key = any ($2) and read_at is null
     order by id
     for update`,
    [workspaceId, keys],
  );
}

/** Makes notifications, and grows those whose group is unread: they are the newest again. */
export async function writeNotices(tx: Tx, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length === 0) return;
  await tx.exec(
    `insert into notification as n (
       id, workspace_id, user_id, kind, title, text, data, next_tool, origin, created_at, group_key, events, in_app,
       routed_at, mail_at
     )
     select
       q.id, q."workspaceId", q."userId", q.kind, q.title, q.text, q.data, q."nextTool", q.origin, q.now,
       q."groupKey", q.events, q."inApp", q.now, q."mailAt"
     from jsonb_to_recordset($1::jsonb) as q (
       id uuid, "workspaceId" text, "userId" uuid, kind text, title text, text text, data jsonb, "nextTool" text,
       origin text, now bigint, "groupKey" text, events int, "inApp" boolean, "mailAt" bigint
     )
     on conflict (workspace_id, user_id, group_key) where read_at is null and group_key is not null do update set
       title = excluded.title,
       text = excluded.text,
       data = excluded.data,
       events = excluded.events,
       in_app = excluded.in_app,
       created_at = greatest(n.created_at, excluded.created_at),
       routed_at = excluded.routed_at,
       mail_at = least(n.mail_at, excluded.mail_at)`,
    [JSON.stringify(notices)],
  );
}
