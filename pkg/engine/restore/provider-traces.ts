import type { AccountRef, NetworkProvider, Page } from '../../providers/network/network-provider.ts';
import type { Trace } from '../../store/restore-guard.ts';

/** Pages of a list that are read at most; all lists are newest first. */
const MAX_PAGES = 10;
const PAGE = 100;
/** Persons whose public id is asked for at most. */
const MAX_PROFILES = 300;
/** Clocks of provider and product may differ by this much. */
const SLACK_MS = 120_000;
/** The network tells the day of an invitation, not always the hour. */
const DAY_MS = 86_400_000;

/**
 * What left through an account at or after `since` (epoch ms), as the provider shows it: messages and pending requests.
 * Visits leave no trace that can be read. @throws ProviderError when the provider can't be read
 */
export async function readTraces(
  provider: NetworkProvider,
  account: AccountRef,
  since: number,
  signal?: AbortSignal,
): Promise<Trace[]> {
  const traces = [
    ...(await messages(provider, account, since - SLACK_MS, signal)),
    ...(await requests(provider, account, since - DAY_MS, signal)),
  ];
  return withPublicIds(provider, account, traces, signal);
}

async function messages(
  provider: NetworkProvider,
  account: AccountRef,
  from: number,
  signal: AbortSignal | undefined,
): Promise<Trace[]> {
  const chats = await newest(
    (options) => provider.listChats(account, options),
    (chat) => chat.lastMessageAt >= from,
    signal,
  );
  const found: Trace[] = [];
  for (const chat of chats) {
    const sent = await newest(
      (options) => provider.listMessages(account, chat.chatId, options),
      (message) => message.sentAt >= from,
      signal,
    );
    for (const message of sent) {
      if (message.direction !== 'out') continue;
      found.push({
        kind: 'message',
        ref: message.messageId,
        providerId: chat.providerId,
        publicId: chat.publicId,
        text: message.text,
        at: message.sentAt,
      });
    }
  }
  return found;
}

async function requests(
  provider: NetworkProvider,
  account: AccountRef,
  from: number,
  signal: AbortSignal | undefined,
): Promise<Trace[]> {
  const pending = await newest(
    (options) => provider.listSentInvitations(account, options),
    (invitation) => invitation.sentAt === null || invitation.sentAt >= from,
    signal,
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

/** A person whom a restored database forgot is found again by the public id. */
async function withPublicIds(
  provider: NetworkProvider,
  account: AccountRef,
  traces: Trace[],
  signal: AbortSignal | undefined,
): Promise<Trace[]> {
  const missing = [...new Set(traces.filter((trace) => !trace.publicId).map((trace) => trace.providerId))];
  const known = new Map<string, string>();
  for (const providerId of missing.slice(0, MAX_PROFILES)) {
    const profile = await provider.lookupProfile(account, { providerId }, signal);
    known.set(providerId, profile.publicId);
  }
  return traces.map((trace) => ({ ...trace, publicId: trace.publicId ?? known.get(trace.providerId) ?? null }));
}

/** Items of a list that is newest first, up to the first page that holds an older one. */
async function newest<T>(
  load: (options: { cursor?: string; limit: number; signal?: AbortSignal }) => Promise<Page<T>>,
  wanted: (item: T) => boolean,
  signal: AbortSignal | undefined,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const next: Page<T> = await load({ limit: PAGE, ...(cursor ? { cursor } : {}), ...(signal ? { signal } : {}) });
    const hits = next.items.filter(wanted);
    found.push(...hits);
    cursor = next.cursor;
    if (!cursor || hits.length < next.items.length) break;
  }
  return found;
}
