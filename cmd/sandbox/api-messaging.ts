import { z } from 'zod';
import { accountOf } from './api-accounts.ts';
import { record } from './api-users.ts';
import { addMessage, type ChatRow, isOwn, type MessageRow } from './chats.ts';
import { type Call, Refusal, type Reply } from './http.ts';
import { spendInMailCredit } from './inmail-credits.ts';
import { readCursor, readLimit, writeCursor } from './listing.ts';
import { planReply } from './people.ts';
import { personOf, profileUrl } from './person.ts';
import { ownerId } from './webhook-bodies.ts';
import type { World } from './world.ts';

const text = z.string().min(1).max(8_000);
const startBody = z.object({
  account_id: z.string().min(1).max(200),
  attendees_ids: z.union([z.string(), z.array(z.string()).length(1)]),
  text,
  subject: z.string().max(200).optional(),
});
const sendBody = z.object({ text });
const patchBody = z.object({ action: z.literal('setReadStatus'), value: z.boolean() });

/** `POST chats`: the first message to a connection, or an InMail to anybody. */
export function startChat(world: World, call: Call): Reply {
  const body = parse(startBody, call.body);
  const accountId = body.account_id;
  accountOf(world, accountId);
  const attendee = Array.isArray(body.attendees_ids) ? (body.attendees_ids[0] ?? '') : body.attendees_ids;
  const publicId = attendee.startsWith('ACo') ? world.resolve(accountId, attendee) : null;
  if (!publicId) throw new Refusal(422, 'invalid_recipient', 'the attendee is not known to this account');
  const inmail = isInMail(call);
  if (!inmail && !world.connected(accountId, publicId)) {
    throw new Refusal(422, 'no_connection_with_recipient', 'only connections can be written to');
  }
  if (inmail) spendInMailCredit(world, accountId, publicId);
  const ids = write(world, call, accountId, publicId, body.text, inmail);
  return { status: 201, body: { object: 'ChatStarted', chat_id: ids.chatId, message_id: ids.messageId } };
}

/** `POST chats/{id}/messages` */
export function sendMessage(world: World, call: Call): Reply {
  const chat = chatOf(world, call);
  accountOf(world, chat.account_id);
  const body = parse(sendBody, call.body);
  // A conversation outlives the connection, and nobody writes into it any more.
  if (!chat.inmail && world.removed(chat.account_id, chat.public_id))
    throw new Refusal(422, 'no_connection_with_recipient', 'the person has removed the connection');
  const ids = write(world, call, chat.account_id, chat.public_id, body.text, false);
  return { status: 201, body: { object: 'MessageSent', message_id: ids.messageId } };
}

/** Whether a `POST chats` is an InMail. */
export function isInMail(call: Call): boolean {
  const body = z.object({ 'linkedin[inmail]': z.string().optional() }).safeParse(call.body);
  return body.success && body.data['linkedin[inmail]'] === 'true';
}

/** `GET chats`, and with a person `GET chat_attendees/{id}/chats`: newest first. */
export function listChats(world: World, call: Call, attendee?: string): Reply {
  const accountId = call.query.get('account_id');
  const limit = readLimit(call);
  const rows = world.store.all<ChatRow>(
    `select c.*
     from chat c
     where (? is null or account_id = ?)
       and last_row < ?
       and (
         ? is null
         or exists (
           select 1
           from identity i
           where i.provider_id = ? and i.account_id = c.account_id and i.public_id = c.public_id
         )
       )
       and (? = '' or last_at > ?)
       and (? <> 'true' or unread > 0)
       and exists (select 1 from message m where m.chat_id = c.id and m.visible_real <= ?)
     order by last_row desc limit ?`,
    accountId,
    accountId,
    readCursor(call) ?? Number.MAX_SAFE_INTEGER,
    attendee ?? null,
    attendee ?? null,
    call.query.get('after') ?? '',
    Date.parse(call.query.get('after') ?? '') || 0,
    call.query.get('unread') ?? '',
    world.real.now(),
    limit + 1,
  );
  const items = rows.slice(0, limit).map((row) => chatItem(world, row));
  const last = rows[limit - 1];
  return {
    status: 200,
    body: { object: 'ChatList', items, cursor: rows.length > limit && last ? writeCursor(last.last_row) : null },
  };
}

/** `GET chats/{id}` */
export function getChat(world: World, call: Call): Reply {
  const chat = chatOf(world, call);
  const last = messagesOf(world, call, 'm.chat_id = ?', chat.id, 1)[0];
  return { status: 200, body: { ...chatItem(world, chat), lastMessage: last ? messageItem(world, last) : null } };
}

/** `PATCH chats/{id}` */
export function patchChat(world: World, call: Call): Reply {
  const chat = chatOf(world, call);
  const { value } = parse(patchBody, call.body);
  world.store.run('update chat set unread = ? where id = ?', value ? 0 : Math.max(1, chat.unread), chat.id);
  return { status: 200, body: { object: 'ChatPatched' } };
}

/** `GET chats/{id}/messages` and `GET messages`: newest first; reading marks nothing. */
export function listMessages(world: World, call: Call): Reply {
  const limit = readLimit(call);
  const inChat = call.path[0] === 'chats';
  const key = inChat ? chatOf(world, call).id : call.query.get('account_id');
  const rows = messagesOf(world, call, inChat ? 'm.chat_id = ?' : '(?1 is null or m.account_id = ?1)', key, limit + 1);
  const items = rows.slice(0, limit).map((row) => ({ object: 'Message', ...messageItem(world, row) }));
  const last = rows[limit - 1];
  return {
    status: 200,
    body: { object: 'MessageList', items, cursor: rows.length > limit && last ? writeCursor(last.row) : null },
  };
}

/** `GET chats/{id}/attendees` */
export function listAttendees(world: World, call: Call): Reply {
  const chat = chatOf(world, call);
  const person = personOf(world.seed, chat.public_id);
  const providerId = world.providerId(chat.account_id, chat.public_id);
  const common = { object: 'ChatAttendee', account_id: chat.account_id };
  const items = [
    {
      ...common,
      id: providerId,
      provider_id: providerId,
      name: `${person.firstName} ${person.lastName}`,
      is_self: 0,
      profile_url: profileUrl(chat.public_id),
    },
    {
      ...common,
      id: ownerId(chat.account_id),
      provider_id: ownerId(chat.account_id),
      name: chat.account_id,
      is_self: 1,
    },
  ];
  return { status: 200, body: { object: 'ChatAttendeeList', items } };
}

type ListedMessage = MessageRow & { public_id: string };

function messagesOf(world: World, call: Call, where: string, key: string | null, limit: number): ListedMessage[] {
  const before = readCursor(call) ?? Number.MAX_SAFE_INTEGER;
  return world.store.all<ListedMessage>(
    `select m.*, c.public_id from message m join chat c on c.id = m.chat_id
     where ${where} and m.row < ? and m.visible_real <= ? and m.at > ? order by m.row desc limit ?`,
    key,
    before,
    world.real.now(),
    Date.parse(call.query.get('after') ?? '') || 0,
    limit,
  );
}

function chatOf(world: World, call: Call): ChatRow {
  const chat = world.store.one<ChatRow>('select * from chat where id = ?', call.path[1] ?? '');
  if (!chat) throw new Refusal(404, 'resource_not_found', 'no such chat');
  return chat;
}

function write(
  world: World,
  call: Call,
  accountId: string,
  publicId: string,
  body: string,
  inmail: boolean,
): { chatId: string; messageId: string } {
  const at = world.clock.now();
  const ids = addMessage(world, {
    accountId,
    publicId,
    origin: 'api',
    text: body,
    at,
    visibleReal: call.visibleReal,
    inmail,
  });
  record(world, call, accountId, inmail ? 'inmail' : 'message', publicId, body);
  planReply(world, accountId, publicId);
  return ids;
}

function chatItem(world: World, chat: ChatRow): object {
  const person = personOf(world.seed, chat.public_id);
  return {
    object: 'Chat',
    id: chat.id,
    account_id: chat.account_id,
    account_type: 'LINKEDIN',
    provider_id: chat.id,
    attendee_provider_id: world.providerId(chat.account_id, chat.public_id),
    name: `${person.firstName} ${person.lastName}`,
    type: 0,
    timestamp: new Date(chat.last_at).toISOString(),
    unread_count: chat.unread,
    archived: 0,
    muted_until: null,
    read_only: 0,
    ...(chat.inmail ? { content_type: 'inmail' } : {}),
  };
}

/** Of the provider's types of events. */
const REACTION_TO_ME = 2;

function messageItem(world: World, message: ListedMessage): object {
  const own = isOwn(message.origin);
  const sender = own ? ownerId(message.account_id) : world.providerId(message.account_id, message.public_id);
  return {
    id: message.id,
    provider_id: message.id,
    account_id: message.account_id,
    chat_id: message.chat_id,
    chat_provider_id: message.chat_id,
    sender_id: sender,
    sender_attendee_id: sender,
    text: message.text,
    timestamp: new Date(message.at).toISOString(),
    is_sender: own ? 1 : 0,
    attachments: [],
    reactions: [],
    seen: 0,
    seen_by: {},
    hidden: 0,
    deleted: 0,
    edited: 0,
    ...(message.origin === 'reaction' ? { is_event: 1, event_type: REACTION_TO_ME } : { is_event: 0 }),
    delivered: 1,
    behavior: null,
    original: '',
  };
}

function parse<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new Refusal(400, 'invalid_parameters', z.prettifyError(parsed.error));
  return parsed.data;
}
