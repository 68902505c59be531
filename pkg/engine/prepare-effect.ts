import type { JsonObject } from '../base/json.ts';
import type { RefusalKind } from '../nodes/node-type.ts';
import type { NetworkProvider } from '../providers/network/network-provider.ts';
import type { RelationNote } from '../store/inbox.ts';
import type { GrantedEffect } from './batch.ts';
import type { EngineDeps } from './engine-deps.ts';
import { checkForReply } from './fresh-conversation.ts';
import { targetText } from './target-text.ts';

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
  note: (relation: RelationNote) => Promise<void>,
): Promise<Prepared> {
  const { claim, type } = effect.request;
  const known = await identify(provider, effect, signal, note);
  if (!known.go) return known;
  if (claim.action === 'message') {
    const chatId = await checkForReply(deps, provider, effect, known.target, signal);
    return { go: true, target: { ...known.target, ...(chatId ? { chatId } : {}) } };
  }
  if (claim.action !== 'withdraw_request' || targetText(known.target, 'invitationId')) return known;
  const sent = await provider.listSentInvitations(account(effect), { limit: 100, signal });
  const invitation = sent.items.find((item) => item.providerId === targetText(known.target, 'providerId'));
  if (!invitation) return { go: false, outcome: type.refusedOutcome('not_pending') };
  return { go: true, target: { ...known.target, invitationId: invitation.invitationId } };
}

const account = (effect: GrantedEffect): { externalId: string } => ({ externalId: effect.account.externalId });

/** The person's id for this account, looked up once; what the look-up says of the relation may make the action needless. */
async function identify(
  provider: NetworkProvider,
  effect: GrantedEffect,
  signal: AbortSignal,
  note: (relation: RelationNote) => Promise<void>,
): Promise<Prepared> {
  const { claim, type } = effect.request;
  if (targetText(claim.target, 'providerId')) return { go: true, target: claim.target };
  const publicId = targetText(claim.target, 'publicId');
  if (!publicId) return { go: false, outcome: type.refusedOutcome('rejected') };
  const profile = await provider.lookupProfile(account(effect), { publicId }, signal);
  const state = profile.connected ? 'connected' : profile.pending ? 'pending' : 'none';
  const { personId } = effect;
  if (personId) await note({ accountId: effect.account.id, personId, providerId: profile.providerId, state });
  const obstacle = obstacleOf(claim.action, state);
  if (obstacle) return { go: false, outcome: type.refusedOutcome(obstacle) };
  return { go: true, target: { ...claim.target, providerId: profile.providerId } };
}

function obstacleOf(action: string, state: 'none' | 'pending' | 'connected'): RefusalKind | null {
  if (action === 'connection_request' && state === 'connected') return 'already_connected';
  if (action === 'connection_request' && state === 'pending') return 'already_pending';
  return action === 'message' && state !== 'connected' ? 'not_connected' : null;
}
