import type { World } from './world.ts';

export interface ChatRow {
  id: string;
  account_id: string;
  public_id: string;
  last_at: number;
  last_row: number;
  unread: number;
  inmail: number;
}

export interface MessageRow {
  row: number;
  id: string;
  chat_id: string;
  account_id: string;
  /**
   * `api`: by a request of ours, `note`: text of an accepted invitation, `hand`: written by the account's owner elsewhere,
   * `reaction`: a sign that the person put under a message of ours.
   */
  origin: 'api' | 'note' | 'hand' | 'person' | 'reaction';
  text: string;
  at: number;
  visible_real: number;
}

/** Whether the account wrote it, no matter who did so through it. */
export const isOwn = (origin: MessageRow['origin']): boolean => origin !== 'person' && origin !== 'reaction';

export interface NewMessage {
  accountId: string;
  publicId: string;
  origin: MessageRow['origin'];
  text: string;
  /** Epoch ms product time. */
  at: number;
  /** Epoch ms real time from which lists show it. */
  visibleReal?: number;
  inmail?: boolean;
}

/** Adds a message to the one chat of account and person, which opens with the first. Two equal messages are two. */
export function addMessage(world: World, message: NewMessage): { chatId: string; messageId: string } {
  const { store } = world;
  const { accountId, publicId } = message;
  const chatId =
    store.one<ChatRow>('select * from chat where account_id = ? and public_id = ?', accountId, publicId)?.id ??
    world.ids.uuid();
  const messageId = world.ids.uuid();
  const row = store.run(
    'insert into message (id, chat_id, account_id, origin, text, at, visible_real) values (?, ?, ?, ?, ?, ?, ?)',
    messageId,
    chatId,
    accountId,
    message.origin,
    message.text,
    message.at,
    message.visibleReal ?? 0,
  );
  store.run(
    `insert into chat (id, account_id, public_id, last_at, last_row, unread, inmail)
     values (?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set
       last_at = excluded.last_at,
       last_row = excluded.last_row,
       unread = unread + excluded.unread`,
    chatId,
    accountId,
    publicId,
    message.at,
    row,
    message.origin === 'person' ? 1 : 0,
    message.inmail ? 1 : 0,
  );
  return { chatId, messageId };
}

/** Messages that requests of ours put into the chat with this person. */
export function ownMessages(world: World, accountId: string, publicId: string): number {
  return (
    world.store.one<{ n: number }>(
      `select count(*) as n from message m join chat c on c.id = m.chat_id
       where c.account_id = ? and c.public_id = ? and m.origin = 'api'`,
      accountId,
      publicId,
    )?.n ?? 0
  );
}
