import { monotonicMs } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { classifyReply } from '../../domain/reply-class.ts';
import {
  type NetworkChat,
  type NetworkMessage,
  type NetworkProvider,
  type Page,
  ProviderError,
} from '../../providers/network/network-provider.ts';
import {
  chatsReadAt,
  insertMessages,
  keepUnread,
  personsByProviderId,
  personsOf,
  type SyncAccount,
  upsertConversation,
} from '../../store/accounts/account-sync.ts';
import { countByHand } from '../../store/accounts/hand-actions.ts';
import { recordReplies } from '../../store/inbox/inbox.ts';
import { holdForHuman } from '../../store/runs/hold-for-human.ts';
import type { LeaseKeeper } from '../lease/lease-keeper.ts';

/** Messages at the seam of two rounds are read twice rather than never. */
export const OVERLAP_MS = 10 * 60_000;
const PAGE = 100;
/** Of an account that was never read: what lies further back was said before we knew it. */
const FIRST_PAGES = 10;
/** More than a round has time for. */
const MOST_PAGES = 200;
/** So long after its last message a conversation that is refused is asked for again: then it is gone. */
const PATIENCE_MS = 14 * 86_400_000;
/** Conversations that can't be read one after the other: then it is the provider that is away. */
const MAX_FAILING = 3;

export interface ChatsDeps {
  claim: LeaseKeeper;
  newId: () => string;
  log: Logger;
}

/** How far a round came; `some refused`: all were asked for, and of some the provider said that it does not show them. */
export type ChatsRead = 'all read' | 'some left' | 'some refused';

/**
 * Reads what came since the last round that read all, page by page, the newest first. A conversation that can't be read takes no
 * other with it.
 * @param times `now`: epoch ms product time; `until`: monotonic ms at which it ends, after one at least
 * @throws ProviderError when the provider is away
 */
export async function syncChats(
  deps: ChatsDeps,
  provider: NetworkProvider,
  account: SyncAccount,
  { now, until }: { now: number; until: number },
): Promise<ChatsRead> {
  const { claim } = deps;
  const round = new ReadingRound(deps, provider, account, now);
  let cursor: string | null = null;
  const first = account.chatsUntil === 0;
  for (let page = 0; page < (first ? FIRST_PAGES : MOST_PAGES); page++) {
    const options = { limit: PAGE, signal: claim.signal, ...(cursor === null ? {} : { cursor }) };
    const chats: Awaited<ReturnType<NetworkProvider['listChats']>> = await provider.listChats(account, options);
    const recent = chats.items.filter((chat) => chat.lastMessageAt >= account.chatsUntil);
    for (const chat of await unreadOf(deps, account, recent)) {
      if (round.begun && monotonicMs() >= until) return 'some left';
      await round.read(chat);
    }
    cursor = chats.cursor;
    if (cursor === null || recent.length === 0) return round.result;
    if (round.begun && monotonicMs() >= until) return 'some left';
  }
  return first ? round.result : 'some left';
}

/** Pages of unread conversations that are listed at most. */
const UNREAD_PAGES = 10;

/**
 * Reads which conversations have something unread, as their owner may have read them elsewhere. A list that can't be read, or has no
 * end, leaves the counts as they are.
 */
export async function syncUnread(
  { claim, log }: ChatsDeps,
  provider: NetworkProvider,
  account: SyncAccount,
  now: number,
): Promise<void> {
  const listed = new Map<string, number>();
  let cursor: string | null = null;
  try {
    for (let page = 0; page < UNREAD_PAGES; page++) {
      const options = { limit: PAGE, unread: true, signal: claim.signal, ...(cursor === null ? {} : { cursor }) };
      const chats: Page<NetworkChat> = await provider.listChats(account, options);
      for (const chat of chats.items) if (chat.unread > 0) listed.set(chat.chatId, chat.unread);
      cursor = chats.cursor;
      if (cursor === null) return await claim.tx((tx) => keepUnread(tx, account.id, listed, now));
    }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    log.warn({ accountId: account.id, reason: messageOf(error) }, 'unread conversations could not be listed');
  }
}

/** One that was read long enough after its last message has nothing new: a round that was broken off goes on where it was. */
async function unreadOf(
  { claim }: ChatsDeps,
  account: SyncAccount,
  chats: readonly NetworkChat[],
): Promise<NetworkChat[]> {
  const ids = chats.map((chat) => chat.chatId);
  const readAt = await claim.tx((tx) => chatsReadAt(tx, account.id, ids));
  return chats
    .filter((chat) => (readAt.get(chat.chatId) ?? 0) <= chat.lastMessageAt + OVERLAP_MS)
    .toSorted((a, b) => b.lastMessageAt - a.lastMessageAt);
}

/** Reads conversations, and knows which could not be read. */
class ReadingRound {
  readonly #deps: ChatsDeps;
  readonly #provider: NetworkProvider;
  readonly #account: SyncAccount;
  readonly #now: number;
  begun = false;
  #result: ChatsRead = 'all read';
  #kept = 0;
  /** Failures in a row. */
  #failing = 0;

  constructor(deps: ChatsDeps, provider: NetworkProvider, account: SyncAccount, now: number) {
    this.#deps = deps;
    this.#provider = provider;
    this.#account = account;
    this.#now = now;
  }

  /** What is refused of an account that was never read, while others of it are not, was over before we knew it. */
  get result(): ChatsRead {
    const history = this.#account.chatsUntil === 0 && this.#kept > 0;
    return this.#result === 'some refused' && history ? 'all read' : this.#result;
  }

  async read(chat: NetworkChat): Promise<void> {
    this.begun = true;
    const page = await this.#messages(chat);
    if (!page) return;
    await keepChat(this.#deps, this.#account, chat, page, this.#now);
    this.#kept++;
  }

  async #messages({ chatId, lastMessageAt }: NetworkChat): Promise<Page<NetworkMessage> | undefined> {
    try {
      const options = { limit: PAGE, signal: this.#deps.claim.signal };
      const page = await this.#provider.listMessages(this.#account, chatId, options);
      this.#failing = 0;
      return page;
    } catch (error) {
      const refused = error instanceof ProviderError && error.kind === 'rejected';
      if (!refused && ++this.#failing > MAX_FAILING) throw error;
      if (error instanceof ProviderError && error.kind === 'rate_limited') throw error;
      if (!refused) this.#result = 'some left';
      else if (this.#result === 'all read' && lastMessageAt > this.#now - PATIENCE_MS) this.#result = 'some refused';
      const facts = { accountId: this.#account.id, chatId, reason: messageOf(error) };
      this.#deps.log.warn(facts, 'a conversation could not be read');
      return undefined;
    }
  }
}

/** Keeps a conversation with its messages; a reply stops what is planned, in the same transaction. */
async function keepChat(
  deps: ChatsDeps,
  account: SyncAccount,
  chat: NetworkChat,
  { items: messages, cursor }: Page<NetworkMessage>,
  now: number,
): Promise<void> {
  // What opened the conversation, where all of it is on the page.
  const inMail = chat.inMail && cursor === null ? messages.at(-1) : undefined;
  await deps.claim.tx(async (tx) => {
    const byId = await personsByProviderId(tx, account.id, [chat.providerId]);
    const known = chat.publicId ? await personsOf(tx, account.id, [chat.publicId]) : new Map<string, string[]>();
    const persons = [...new Set([...(byId.get(chat.providerId) ?? []), ...(known.get(chat.publicId ?? '') ?? [])])];
    const personId = persons[0] ?? null;
    const newest = messages[0];
    const conversationId = await upsertConversation(tx, {
      id: deps.newId(),
      accountId: account.id,
      externalId: chat.chatId,
      personId,
      providerId: chat.providerId || null,
      inMail: chat.inMail,
      name: chat.name,
      profileUrl: chat.publicId ? `https://www.linkedin.com/in/${chat.publicId}` : '',
      lastMessageAt: chat.lastMessageAt,
      preview: newest?.text ?? '',
      unread: chat.unread,
      syncedAt: now,
    });
    const classified = messages.map((message) => ({
      message,
      reply: message.direction === 'in' ? classifyReply(message.text, message.sentAt) : null,
    }));
    const { fresh, handAt } = await insertMessages(
      tx,
      account.id,
      conversationId,
      personId,
      classified.map(({ message, reply }) => ({
        id: deps.newId(),
        externalId: message.messageId,
        direction: message.direction,
        body: message.text,
        sentAt: message.sentAt,
        replyClass: reply?.replyClass ?? null,
        ...(message.attachments ? { attachments: message.attachments } : {}),
      })),
    );
    await countByHand(
      tx,
      account.id,
      now,
      messages
        .filter((message) => message.direction === 'out' && fresh.has(message.messageId))
        .map((message) => ({
          action: message === inMail ? 'inmail' : 'message',
          ref: message.messageId,
          person: personId,
          body: message.text,
          at: message.sentAt,
        })),
    );
    if (handAt !== null && persons.length > 0)
      await holdForHuman(tx, { now, accountId: account.id, personIds: persons, at: handAt, by: null });
    for (const { message, reply } of classified.toSorted((a, b) => a.message.sentAt - b.message.sentAt)) {
      if (!reply || !fresh.has(message.messageId)) continue;
      await recordReplies(tx, {
        now,
        accountId: account.id,
        personIds: persons,
        at: message.sentAt,
        replyClass: reply.replyClass,
        resumeAt: reply.returnAt,
      });
    }
  });
}
