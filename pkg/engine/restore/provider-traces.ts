import {
  type AccountRef,
  type NetworkChat,
  type NetworkProvider,
  type Page,
  ProviderError,
} from '../../providers/network/network-provider.ts';
import type { Trace } from '../../store/restore/restore-guard.ts';

/** Pages of a list that are read at most; all lists are newest first. */
const MAX_PAGES = 100;
const PAGE = 100;
/** Clocks of provider and product may differ by this much. */
const SLACK_MS = 120_000;
/** The network tells the day of an invitation, not always the hour. */
const DAY_MS = 86_400_000;

/** What was read of an account so far: a reading that was cut short goes on from it. As much as the lists may hold. */
export class TracesRead {
  /** By chat: what left in it, read when its last message was of that moment (epoch ms). */
  readonly chats = new Map<string, { lastMessageAt: number; traces: Trace[] }>();
  /** Provider id -> public id; null: there is no such profile. */
  readonly profiles = new Map<string, string | null>();
}

/** How an account is read. */
export interface ReadOptions {
  read: TracesRead;
  /** Whether its posts are read too. */
  posts?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * What left through an account at or after `since` (epoch ms), as the provider shows it: messages, InMails, pending
 * requests, and posts. Visits leave no trace that can be read.
 * @throws ProviderError when the provider can't be read to the end: what was not seen would be sent again
 */
export async function readTraces(
  provider: NetworkProvider,
  account: AccountRef,
  since: number,
  options: ReadOptions,
): Promise<Trace[]> {
  return [
    ...(await messages(provider, account, since - SLACK_MS, options)),
    ...(await requests(provider, account, since - DAY_MS, options)),
    ...(options.posts ? await posts(provider, account, since - SLACK_MS, options) : []),
  ];
}

/** The traces with public ids, by which somebody is found again whom a restored database forgot. @throws ProviderError */
export async function withPublicIds(
  provider: NetworkProvider,
  account: AccountRef,
  traces: readonly Trace[],
  options: ReadOptions,
): Promise<Trace[]> {
  const named: Trace[] = [];
  for (const trace of traces) {
    const publicId = trace.publicId ?? (await publicIdOf(provider, account, trace.providerId, options));
    named.push({ ...trace, publicId });
  }
  return named;
}

async function publicIdOf(
  provider: NetworkProvider,
  account: AccountRef,
  providerId: string,
  { read, signal }: ReadOptions,
): Promise<string | null> {
  if (providerId === '') return null;
  const known = read.profiles.get(providerId);
  if (known !== undefined) return known;
  const found = await provider.lookupProfile(account, { providerId }, signal).then(
    (profile) => profile.publicId || null,
    (error: unknown) => {
      // A profile that is gone names nobody; anything else may be asked again.
      if (error instanceof ProviderError && error.kind === 'rejected') return null;
      throw error;
    },
  );
  read.profiles.set(providerId, found);
  return found;
}

async function messages(
  provider: NetworkProvider,
  account: AccountRef,
  from: number,
  options: ReadOptions,
): Promise<Trace[]> {
  const { items: chats } = await newest(
    (page) => provider.listChats(account, page),
    (chat) => isUndated(chat) || chat.lastMessageAt >= from,
    options,
  );
  const found: Trace[] = [];
  for (const chat of chats) {
    const known = options.read.chats.get(chat.chatId);
    const isRead = known?.lastMessageAt === chat.lastMessageAt && !isUndated(chat);
    const traces = isRead ? known.traces : await messagesOf(provider, account, chat, from, options);
    options.read.chats.set(chat.chatId, { lastMessageAt: chat.lastMessageAt, traces });
    found.push(...traces);
  }
  return found;
}

/** The provider does not say when its last message was. */
const isUndated = (chat: NetworkChat): boolean => chat.lastMessageAt === 0;

async function messagesOf(
  provider: NetworkProvider,
  account: AccountRef,
  chat: NetworkChat,
  from: number,
  options: ReadOptions,
): Promise<Trace[]> {
  const { items, whole } = await newest(
    (page) => provider.listMessages(account, chat.chatId, page),
    (message) => message.sentAt >= from,
    options,
  );
  const first = whole && chat.inMail ? items.at(-1) : undefined;
  return items
    .filter((message) => message.direction === 'out')
    .map((message) => ({
      kind: message === first ? 'inmail' : 'message',
      ref: message.messageId,
      providerId: chat.providerId,
      publicId: chat.publicId,
      text: message.text,
      at: message.sentAt,
    }));
}

async function requests(
  provider: NetworkProvider,
  account: AccountRef,
  from: number,
  options: ReadOptions,
): Promise<Trace[]> {
  const { items: pending } = await newest(
    (page) => provider.listSentInvitations(account, page),
    (invitation) => invitation.sentAt === null || invitation.sentAt >= from,
    options,
  );
  return pending.map((invitation) => ({
    kind: 'connection_request',
    ref: invitation.invitationId,
    providerId: invitation.providerId,
    publicId: invitation.publicId,
    text: invitation.text,
    at: invitation.sentAt,
  }));
}

async function posts(
  provider: NetworkProvider,
  account: AccountRef,
  from: number,
  options: ReadOptions,
): Promise<Trace[]> {
  if (!provider.listOwnPosts) return [];
  const { items } = await newest(
    (page) => provider.listOwnPosts?.(account, page) ?? Promise.resolve({ items: [], cursor: null }),
    (post) => post.postedAt === null || post.postedAt >= from,
    options,
  );
  return items.map(({ postId, text, postedAt }) => ({
    kind: 'post',
    ref: postId,
    providerId: '',
    publicId: null,
    text,
    at: postedAt,
  }));
}

/**
 * Items of a list that is newest first, up to the first page that ends with an older one; `whole`: the list has no others.
 * @throws ProviderError when the list is longer than what may be read
 */
async function newest<T>(
  load: (page: { cursor?: string; limit: number; signal?: AbortSignal }) => Promise<Page<T>>,
  wanted: (item: T) => boolean,
  { signal }: ReadOptions,
): Promise<{ items: T[]; whole: boolean }> {
  const found: T[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const next: Page<T> = await load({ limit: PAGE, ...(cursor ? { cursor } : {}), ...(signal ? { signal } : {}) });
    const hits = next.items.filter(wanted);
    found.push(...hits);
    cursor = next.cursor;
    if (!cursor) return { items: found, whole: hits.length === next.items.length };
    const last = next.items.at(-1);
    if (last && !wanted(last)) return { items: found, whole: false };
  }
  throw new ProviderError('unavailable_before_send', `a list is longer than the ${MAX_PAGES * PAGE} that are compared`);
}
