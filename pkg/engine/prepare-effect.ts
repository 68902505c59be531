import type { JsonObject } from '../base/json.ts';
import type { NetworkProvider } from '../providers/network/network-provider.ts';
import { noteRelation } from '../store/inbox.ts';
import type { GrantedEffect } from './batch.ts';
import type { EngineDeps } from './engine-deps.ts';
import { checkForReply } from './fresh-conversation.ts';

/** What is known before the dispatch: go on with this target, or the outcome that needs no action. */
export type Prepared = { go: true; target: JsonObject } | { go: false; outcome: string };

/**
 * Learns what the request needs and the ledger does not have: the person's id for this account, the state of the
 * relation, and (before a message) whether the person has written meanwhile. Nothing here can be seen by the person.
 * @throws ProviderError; nothing was done yet
 */
export async function prepareEffect(
  deps: EngineDeps,
  provider: NetworkProvider,
  effect: GrantedEffect,
  signal: AbortSignal,
): Promise<Prepared> {
  const { claim, type } = effect.request;
  const account = { externalId: effect.account.externalId };
  const target: JsonObject = { ...claim.target };
  if (!target['providerId']) {
    if (!target['publicId']) return { go: false, outcome: type.refusedOutcome('rejected') };
    const profile = await provider.lookupProfile(account, { publicId: String(target['publicId']) }, signal);
    target['providerId'] = profile.providerId;
    const state = profile.connected ? 'connected' : profile.pending ? 'pending' : 'none';
    await keepRelation(deps, effect, profile.providerId, state);
    if (claim.action === 'connection_request' && profile.connected)
      return { go: false, outcome: type.refusedOutcome('already_connected') };
    if (claim.action === 'connection_request' && profile.pending)
      return { go: false, outcome: type.refusedOutcome('already_pending') };
    if (claim.action === 'message' && !profile.connected)
      return { go: false, outcome: type.refusedOutcome('not_connected') };
  }
  if (claim.action === 'message') {
    const chatId = await checkForReply(deps, provider, effect, target, signal);
    if (chatId) target['chatId'] = chatId;
  }
  if (claim.action === 'withdraw_request' && !target['invitationId']) {
    const sent = await provider.listSentInvitations(account, { limit: 100, signal });
    const invitation = sent.items.find((item) => item.providerId === target['providerId']);
    if (!invitation) return { go: false, outcome: type.refusedOutcome('not_pending') };
    target['invitationId'] = invitation.invitationId;
  }
  return { go: true, target };
}

async function keepRelation(
  deps: EngineDeps,
  effect: GrantedEffect,
  providerId: string,
  state: 'none' | 'pending' | 'connected',
): Promise<void> {
  const { personId } = effect;
  if (!personId) return;
  await deps.claim.tx((tx) =>
    noteRelation(tx, { now: deps.clock.now(), accountId: effect.account.id, personId, providerId, state }),
  );
}
