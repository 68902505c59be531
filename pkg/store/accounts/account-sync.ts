import type { Json } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';

/** What account sync knows of an account. */
export interface SyncAccount {
  id: string;
  provider: string;
  kind: 'network' | 'mail';
  externalId: string;
  status: string;
  /** Epoch ms product time up to which chats are read. */
  chatsUntil: number;
  /** Epoch ms product time when all connections were read, or as many as ever are; 0: never. */
  relationsReadAt: number;
  /** Ingress that the provider's webhook points at; empty: none was registered. */
  webhookBase: string;
}

export async function readSyncAccount(tx: Tx, accountId: string): Promise<SyncAccount | undefined> {
  return tx.row<SyncAccount>(
    `select
       a.id,
       a.provider,
       a.kind,
       a.external_id as "externalId",
       a.status,
       coalesce((w.sync_state ->> 'chatsUntil')::bigint, 0) as "chatsUntil",
       coalesce((w.sync_state ->> 'relationsReadAt')::bigint, 0) as "relationsReadAt",
       coalesce(w.sync_state ->> 'webhookBase', '') as "webhookBase"
     from network_account a
     left join account_wake w on w.account_id = a.id
     where a.id = $1`,
    [accountId],
  );
}

/** Keeps the hash of the secret that a provider's webhook calls with. */
export async function keepWebhookSecret(tx: Tx, accountId: string, hash: Buffer): Promise<void> {
  await tx.exec('update network_account set webhook_secret_hash = $2 where id = $1', [accountId, hash]);
}

/** Keeps to which ingress the provider's webhook calls, in the midst of a round. */
export async function keepWebhookBase(tx: Tx, accountId: string, webhookBase: string): Promise<void> {
  await tx.exec(
    `insert into account_wake as w (account_id, due_at, sync_state) values ($1, 0, $2)
     on conflict (account_id) do update set sync_state = w.sync_state || excluded.sync_state`,
    [accountId, JSON.stringify({ webhookBase })],
  );
}

/** Persons that our workspaces deal with, by public profile id: of each agency its own. */
export async function personsOf(
  tx: Tx,
  accountId: string,
  profiles: readonly string[],
): Promise<Map<string, string[]>> {
  if (profiles.length === 0) return new Map();
  const rows = await tx.rows<{ profile: string; person: string }>(
    'select profile_id as profile, person_id as person from app.persons_of($1, $2) order by 2',
    [accountId, profiles],
  );
  return byIdentity(rows.map((row) => [row.profile, row.person]));
}

/** Persons by the provider's id for this account: of each agency its own. */
export async function personsByProviderId(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<{ id: string; person: string }>(
    `select provider_id as id, person_id as person
     from relation where account_id = $1 and provider_id = any ($2) order by 2`,
    [accountId, ids],
  );
  return byIdentity(rows.map((row) => [row.id, row.person]));
}

function byIdentity(pairs: readonly [identity: string, person: string][]): Map<string, string[]> {
  const persons = new Map<string, string[]>();
  for (const [identity, person] of pairs) persons.set(identity, [...(persons.get(identity) ?? []), person]);
  return persons;
}

/** Provider ids that are known to be connected already. */
export async function connectedProviders(tx: Tx, accountId: string): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(
    `select provider_id as id from relation where account_id = $1 and state = 'connected' and provider_id is not null`,
    [accountId],
  );
  return new Set(rows.map((row) => row.id));
}

/** Requests that our rows call pending, made before `before` (epoch ms). */
export async function pendingRequests(
  tx: Tx,
  accountId: string,
  before: number,
): Promise<{ personId: string; providerId: string | null }[]> {
  return tx.rows(
    `select person_id as "personId", provider_id as "providerId"
     from relation
     where account_id = $1 and state = 'pending' and requested_at < $2`,
    [accountId, before],
  );
}

export interface ConversationInput {
  id: string;
  accountId: string;
  externalId: string;
  personId: string | null;
  /** The provider's id of the other person for this account; by it they are known again when the account meets them. */
  providerId: string | null;
  /** An InMail opened it. */
  inMail: boolean;
  name: string;
  profileUrl: string;
  lastMessageAt: number;
  preview: string;
  unread: number;
  syncedAt: number;
}

/** Whether what was read of conversation c is newer than its erasure, if there was one. */
const IS_NEWS = 'excluded.last_message_at > coalesce(c.erased_at, -1)';

/** Keeps a conversation; returns its id. One that was emptied by an erasure stays so until something newer is in it. */
export async function upsertConversation(tx: Tx, chat: ConversationInput): Promise<string> {
  const row = await tx.row<{ id: string }>(
    `insert into conversation as c (
       id, account_id, external_id, person_id, participant_name, participant_profile_url, last_message_at,
       preview, unread, synced_at, provider_id, in_mail
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (account_id, external_id) do update set
       person_id = coalesce(c.person_id, excluded.person_id),
       participant_name = case
         when excluded.participant_name <> '' and ${IS_NEWS} then excluded.participant_name
         else c.participant_name
       end,
       last_message_at = greatest(c.last_message_at, excluded.last_message_at),
       preview = case when ${IS_NEWS} then excluded.preview else c.preview end,
       unread = case when ${IS_NEWS} and c.marked_at <= excluded.synced_at then excluded.unread else c.unread end,
       synced_at = excluded.synced_at,
       provider_id = coalesce(excluded.provider_id, c.provider_id),
       in_mail = excluded.in_mail
     returning id`,
    [
      chat.id,
      chat.accountId,
      chat.externalId,
      chat.personId,
      chat.name,
      chat.profileUrl,
      chat.lastMessageAt,
      chat.preview.slice(0, 200),
      chat.unread,
      chat.syncedAt,
      chat.providerId,
      chat.inMail,
    ],
  );
  return row?.id ?? chat.id;
}

/**
 * What is unread of an account, as the provider lists it at `at` (epoch ms product time): every other conversation is read. What
 * somebody marked here since then stays as they marked it.
 */
export async function keepUnread(
  tx: Tx,
  accountId: string,
  listed: ReadonlyMap<string, number>,
  at: number,
): Promise<void> {
  await tx.exec(
    `update conversation c
     set unread = coalesce((q.unread ->> c.external_id)::int, 0)
     from (select $2::jsonb as unread) q
     where c.account_id = $1
       and c.marked_at <= $3
       and (c.unread > 0 or q.unread ? c.external_id)
       and c.unread <> coalesce((q.unread ->> c.external_id)::int, 0)
       and c.last_message_at > coalesce(c.erased_at, -1)`,
    [accountId, JSON.stringify(Object.fromEntries(listed)), at],
  );
}

/** When conversations were read (epoch ms product time), by the provider's id. */
export async function chatsReadAt(tx: Tx, accountId: string, chatIds: readonly string[]): Promise<Map<string, number>> {
  if (chatIds.length === 0) return new Map();
  const rows = await tx.rows<{ id: string; at: number }>(
    'select external_id as id, synced_at as at from conversation where account_id = $1 and external_id = any ($2)',
    [accountId, chatIds],
  );
  return new Map(rows.map((row) => [row.id, row.at]));
}

export interface MessageInput {
  id: string;
  externalId: string;
  direction: 'in' | 'out';
  /** Of a mail; absent where a message has none. */
  subject?: string;
  body: string;
  sentAt: number;
  replyClass: string | null;
  /** What is attached. Absent: nothing. */
  attachments?: readonly MessageAttachment[];
}

/** Something attached to a message: what it is, never its bytes. */
export interface MessageAttachment {
  /** '': it has none. */
  name: string;
  /** The provider's word for its kind. */
  type: string;
}

/** What was new of what was read. */
export interface NewMessages {
  /** External ids. */
  fresh: Set<string>;
  /** When somebody last wrote in it by hand, elsewhere than here (epoch ms product time); null: nobody did. */
  handAt: number | null;
}

/**
 * Keeps new messages of a conversation with `personId`; known ones are left alone. One is a run's own by the provider's
 * reference, or by its text where that does not tell (a note of a request, an answer that is still missing).
 */
export async function insertMessages(
  tx: Tx,
  accountId: string,
  conversationId: string,
  personId: string | null,
  messages: readonly MessageInput[],
): Promise<NewMessages> {
  if (messages.length === 0) return { fresh: new Set(), handAt: null };
  const rows = await tx.rows<{ externalId: string; byHand: boolean; sentAt: number }>(
    `with given as (
       select x.* from jsonb_to_recordset($3::jsonb) as x ("externalId" text, direction text, body text)
     )
     insert into message (
       id, conversation_id, account_id, external_id, direction, subject, body, sent_at, reply_class, attachments,
       via, run_id
     )
     select
       q.id,
       $1,
       $2,
       q."externalId",
       q.direction,
       case when q."sentAt" <= c.erased_at then null else q.subject end,
       case when q."sentAt" <= c.erased_at then '' else q.body end,
       q."sentAt",
       q."replyClass",
       case when q."sentAt" <= c.erased_at then '[]' else coalesce(q.attachments, '[]') end,
       case
         when coalesce(o.run_id, t.run_id) is not null then 'workflow'
         -- What is ours and of no run is an action's.
         when q.direction = 'out' and (o.ref is not null or t.body is not null) then 'tool'
         else 'elsewhere'
       end,
       coalesce(o.run_id, t.run_id)
     from jsonb_to_recordset($3::jsonb) as q (
       id uuid, "externalId" text, direction text, subject text, body text, "sentAt" bigint, "replyClass" text,
       attachments jsonb
     )
     join conversation c on c.id = $1
     left join app.own_messages(
       $2,
       (select array_agg(g."externalId") from given g)
     ) o on o.ref = q."externalId"
     left join app.own_texts(
       $2,
       $4,
       (select array_agg(g.body) from given g where g.direction = 'out')
     ) t on t.body = q.body and q.direction = 'out'
     on conflict (account_id, external_id) do nothing
     returning external_id as "externalId", direction = 'out' and via = 'elsewhere' as "byHand", sent_at as "sentAt"`,
    [conversationId, accountId, JSON.stringify(messages), personId],
  );
  const newest = messages
    .filter((message) => message.direction === 'in' && message.replyClass)
    .sort((a, b) => b.sentAt - a.sentAt)[0];
  if (newest)
    await tx.exec('update conversation set reply_class = $2 where id = $1', [conversationId, newest.replyClass]);
  const hand = rows.filter((row) => row.byHand).map((row) => row.sentAt);
  return { fresh: new Set(rows.map((row) => row.externalId)), handAt: hand.length > 0 ? Math.max(...hand) : null };
}

/**
 * When somebody last wrote one of these messages to the person by hand (epoch ms, product time): what a send of ours does not
 * explain. Those that are kept are left out: who kept them has judged them. Null: nobody did.
 */
export async function writtenByHandAt(
  tx: Tx,
  accountId: string,
  personId: string,
  messages: readonly { messageId: string; direction: 'in' | 'out'; text: string; sentAt: number }[],
): Promise<number | null> {
  const out = messages.filter((message) => message.direction === 'out');
  if (out.length === 0) return null;
  const row = await tx.row<{ at: number | null }>(
    `with given as (
       select x.* from jsonb_to_recordset($3::jsonb) as x ("messageId" text, text text, "sentAt" bigint)
     ),
     lists as (
       select array_agg(g."messageId") as refs, array_agg(g.text) as bodies from given g
     )
     select max(g."sentAt") as at
     from given g
     where not exists (select 1 from message m where m.account_id = $1 and m.external_id = g."messageId")
       and g."messageId" not in (select o.ref from lists l cross join lateral app.own_messages($1, l.refs) o)
       and g.text not in (select t.body from lists l cross join lateral app.own_texts($1, $2, l.bodies) t)`,
    [accountId, personId, JSON.stringify(out)],
  );
  return row?.at ?? null;
}

/** Requests that are gone without a connection. */
export async function requestsGone(tx: Tx, accountId: string, personIds: readonly string[]): Promise<void> {
  if (personIds.length > 0) await tx.exec('select app.request_gone($1, $2::uuid[])', [accountId, personIds]);
}

/** Whether runs wait for news of this account. */
export async function accountExpects(tx: Tx, accountId: string): Promise<boolean> {
  const row = await tx.row<{ expects: boolean }>('select app.account_expects($1) as expects', [accountId]);
  return row?.expects ?? false;
}

/** Status of the account as the provider says it. */
export async function keepStatus(tx: Tx, accountId: string, status: string, now: number): Promise<void> {
  await tx.exec('update network_account set status = $2, status_since = $3 where id = $1 and status <> $2', [
    accountId,
    status,
    now,
  ]);
}

/** Begins a round of sync: what was hinted at before is what it looks for. */
export async function beginSync(tx: Tx, accountId: string): Promise<void> {
  await tx.exec('update account_wake set hinted = false where account_id = $1 and hinted', [accountId]);
}

/** Words of a fault that are kept. */
const MAX_REASON = 200;

/** A round of sync failed: it is tried again at `againAt`; since when rounds fail, and why, is kept. Times epoch ms product time. */
export async function syncFailed(
  tx: Tx,
  accountId: string,
  { now, againAt, reason }: { now: number; againAt: number; reason: string },
): Promise<void> {
  await tx.exec(
    `update account_wake
     set
       due_at = $3,
       hinted = false,
       sync_state = jsonb_build_object('failingSince', $2::bigint) || jsonb_strip_nulls(sync_state)
         || jsonb_build_object('failure', $4::text)
     where account_id = $1`,
    [accountId, now, againAt, reason.slice(0, MAX_REASON)],
  );
}

/** Ends a round of sync. After a hint that came during it the account stays due. */
export async function finishSync(
  tx: Tx,
  accountId: string,
  round: { startedAt: number; nextAt: number; state: { [key: string]: Json } },
): Promise<void> {
  await tx.exec(
    `insert into account_wake (account_id, due_at, last_synced_at, sync_state)
     values ($1, $2, $3, $4)
     on conflict (account_id) do update set
       due_at = case when account_wake.hinted then account_wake.due_at else excluded.due_at end,
       hinted = false,
       last_synced_at = excluded.last_synced_at,
       sync_state = account_wake.sync_state || excluded.sync_state`,
    [accountId, round.nextAt, round.startedAt, JSON.stringify({ ...round.state, failingSince: null, failure: null })],
  );
}
