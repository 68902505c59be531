import type { JsonObject } from '../../base/json.ts';
import { classifyReply } from '../../domain/reply-class.ts';
import type { NetworkChat, NetworkMessage, NetworkProvider } from '../../providers/network/network-provider.ts';
import { recordReply } from '../../store/inbox/inbox.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { GrantedEffect } from '../ledger/claim-effects.ts';
import { accountOf } from '../ledger/preparation.ts';
import { targetText } from '../ledger/target-text.ts';

/** A conversation synced longer ago than this (product time) is fetched before a message goes out. */
const FRESH_MS = 5 * 60_000;

/** Conversations that one person has with an account at most: an InMail opens one of its own. */
const MOST_CHATS = 5;

/**
 * Before a message: reads the person's conversations when account sync has not done so within minutes. A reply in any of
 * them is recorded at once, which cancels the send; the dispatch then refuses it. Returns the chat that a message goes into, if
 * there is one: nothing can be added to an InMail that waits for its answer.
 */
export async function checkForReply(
  deps: EngineDeps,
  provider: NetworkProvider,
  effect: GrantedEffect,
  target: JsonObject,
  signal: AbortSignal,
): Promise<string | null> {
  const known = targetText(target, 'chatId');
  const now = deps.clock.now();
  if (Number(targetText(target, 'chatSyncedAt') ?? 0) > now - FRESH_MS) return known;
  const chats = await chatsWith(provider, effect, targetText(target, 'providerId') ?? '', signal);
  const chatId = known ?? chats.find((chat) => !chat.inMail)?.chatId ?? null;
  const read = new Set([...(known ? [known] : []), ...chats.map((chat) => chat.chatId)]);
  if (read.size === 0 || !effect.personId) return chatId;
  const messages: NetworkMessage[] = [];
  for (const chat of [...read].slice(0, MOST_CHATS)) {
    const { items } = await provider.listMessages(accountOf(effect), chat, { limit: 20, signal });
    messages.push(...items);
  }
  const inbound = messages.filter((message) => message.direction === 'in').sort((a, b) => a.sentAt - b.sentAt);
  if (inbound.length === 0) return chatId;
  const { personId } = effect;
  await deps.claim.tx(async (tx) => {
    // All of them, the oldest first: what a person wrote counts, whatever a machine says after it.
    for (const { text, sentAt } of inbound) {
      const { replyClass, returnAt } = classifyReply(text, sentAt);
      const reply = { personId, at: sentAt, replyClass, resumeAt: returnAt };
      await recordReply(tx, { now: deps.clock.now(), accountId: effect.account.id, ...reply });
    }
  });
  return chatId;
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
