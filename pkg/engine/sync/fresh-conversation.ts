import type { JsonObject } from '../../base/json.ts';
import { classifyReply } from '../../domain/reply-class.ts';
import type { NetworkChat, NetworkMessage, NetworkProvider } from '../../providers/network/network-provider.ts';
import { writtenByHandAt } from '../../store/accounts/account-sync.ts';
import { recordReply } from '../../store/inbox/inbox.ts';
import { holdForHuman } from '../../store/runs/hold-for-human.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { GrantedEffect } from '../ledger/claim-effects.ts';
import { accountOf } from '../ledger/preparation.ts';
import { targetText } from '../ledger/target-text.ts';

/** A conversation synced longer ago than this (product time) is fetched before a message goes out. */
const FRESH_MS = 5 * 60_000;
/** The same before what a person wrote, who says which message is the last that they know. */
const FRESH_FOR_PERSON_MS = 2 * 60_000;

/** Conversations that one person has with an account at most: an InMail opens one of its own. */
const MOST_CHATS = 5;

/** What is known of a conversation before a message goes into it. */
export interface FreshConversation {
  /** Null: there is none yet. */
  chatId: string | null;
  /** The newest message of the person that was read now; null: none, or nothing had to be read. */
  newest: { messageId: string; sentAt: number } | null;
  /** When the account wrote last into the chat, of what was read now; null: it did not, or nothing had to be read. */
  answeredAt: number | null;
}

/**
 * Before a message: reads the person's conversations when account sync has not done so within minutes. A reply in any of
 * them is recorded at once, which cancels the send, and what somebody wrote by hand holds the person's runs; the dispatch then
 * refuses it. The chat is the one that a message goes into: nothing can be added to an InMail that waits for its answer.
 */
export async function checkForReply(
  deps: EngineDeps,
  provider: NetworkProvider,
  effect: GrantedEffect,
  target: JsonObject,
  signal: AbortSignal,
): Promise<FreshConversation> {
  const known = targetText(target, 'chatId');
  const now = deps.clock.now();
  const freshMs = 'expectedAt' in target ? FRESH_FOR_PERSON_MS : FRESH_MS;
  if (Number(target['chatSyncedAt'] ?? 0) > now - freshMs) return { chatId: known, newest: null, answeredAt: null };
  const chats = await chatsWith(provider, effect, targetText(target, 'providerId') ?? '', signal);
  const chatId = known ?? chats.find((chat) => !chat.inMail)?.chatId ?? null;
  const read = new Set([...(known ? [known] : []), ...chats.map((chat) => chat.chatId)]);
  if (read.size === 0 || !effect.personId) return { chatId, newest: null, answeredAt: null };
  const messages: NetworkMessage[] = [];
  let answeredAt: number | null = null;
  for (const chat of [...read].slice(0, MOST_CHATS)) {
    const { items } = await provider.listMessages(accountOf(effect), chat, { limit: 20, signal });
    messages.push(...items);
    if (chat !== chatId) continue;
    for (const { direction, sentAt } of items) if (direction === 'out') answeredAt = Math.max(answeredAt ?? 0, sentAt);
  }
  const inbound = messages.filter((message) => message.direction === 'in').sort((a, b) => a.sentAt - b.sentAt);
  const newest = inbound.at(-1) ?? null;
  if (messages.length === 0) return { chatId, newest, answeredAt };
  const { personId } = effect;
  await deps.claim.tx(async (tx) => {
    const now = deps.clock.now();
    const accountId = effect.account.id;
    const handAt = await writtenByHandAt(tx, accountId, personId, messages);
    if (handAt !== null) await holdForHuman(tx, { now, accountId, personIds: [personId], at: handAt, by: null });
    // All of them, the oldest first: what a person wrote counts, whatever a machine says after it.
    for (const { text, sentAt } of inbound) {
      const { replyClass, returnAt } = classifyReply(text, sentAt);
      const reply = { personId, at: sentAt, replyClass, resumeAt: returnAt };
      await recordReply(tx, { now, accountId, ...reply });
    }
  });
  return { chatId, newest, answeredAt };
}

/** The newest first; where news came its conversation is among the newest. */
async function chatsWith(
  provider: NetworkProvider,
  effect: GrantedEffect,
  providerId: string,
  signal: AbortSignal,
): Promise<NetworkChat[]> {
  const chats = await provider.listChats(accountOf(effect), { limit: 100, signal });
  return chats.items.filter((chat) => chat.providerId === providerId);
}
