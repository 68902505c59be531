import type { JsonObject } from '../../base/json.ts';
import { isHarmless } from '../../domain/actions.ts';
import type { RefusalKind } from '../../nodes/node-type.ts';
import {
  type NetworkInvitation,
  type NetworkProvider,
  type Page,
  ProviderError,
} from '../../providers/network/network-provider.ts';
import { NEWER_MESSAGE } from '../../store/actions/actions.ts';
import { newestInbound, type RelationNote } from '../../store/inbox/inbox.ts';
import { isAnsweredBesides } from '../../store/signals/agent-replies.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { checkForReply, type FreshConversation } from '../sync/fresh-conversation.ts';
import type { GrantedEffect } from './claim-effects.ts';
import { accountOf, type Preparation, type Prepared } from './preparation.ts';
import { choosePost, chooseSkills, inMailObstacle } from './prepare-engagement.ts';
import { targetText } from './target-text.ts';
import { NO_PROFILE } from './unreachable.ts';

/** Pages of an account's open requests that are read at most; the network allows a few thousand. */
const MAX_INVITATION_PAGES = 50;

/**
 * Learns what the request needs and the ledger does not have: the person's id for this account, the state of the
 * relation, the post or the skills that are meant, and (before a message) whether the person has written meanwhile.
 * Nothing here can be seen by the person.
 * @throws ProviderError; nothing was done yet
 */
export async function prepareEffect(
  deps: EngineDeps,
  provider: NetworkProvider,
  effect: GrantedEffect,
  signal: AbortSignal,
  note: (relation: RelationNote) => void,
): Promise<Prepared> {
  const given: Preparation = { deps, provider, effect, signal, note };
  const known = await identify(given);
  if (!known.go) return known;
  switch (effect.request.claim.action) {
    case 'message': {
      const { chatId, newest, answeredAt } = await checkForReply(deps, provider, effect, known.target, signal);
      const late =
        (await newerThanExpected(given, known.target, newest)) ??
        (await answeredBesides(given, known.target, answeredAt));
      return late ?? { go: true, target: { ...known.target, ...(chatId ? { chatId } : {}) } };
    }
    case 'inmail':
      return prepareInMail(given, known.target);
    case 'like':
    case 'comment':
      return prepared(given, known.target, await choosePost(given, known.target));
    case 'endorse':
      return prepared(given, known.target, await chooseSkills(given, known.target));
    case 'withdraw_request':
      return prepareWithdrawal(given, known.target);
    default:
      return known;
  }
}

/** The target with what was chosen, or the outcome of the obstacle. */
function prepared({ effect }: Preparation, target: JsonObject, chosen: JsonObject | RefusalKind): Prepared {
  if (typeof chosen === 'string') return refused(effect, chosen);
  return { go: true, target: { ...target, ...chosen } };
}

/** `reason`: in words where the kind of the refusal does not say it. */
function refused(
  { request }: GrantedEffect,
  kind: RefusalKind,
  reason = kind.replaceAll('_', ' '),
): Prepared & { go: false } {
  return { go: false, outcome: request.type.refusedOutcome(kind), reason };
}

/** Its writer said which message of the person they knew: one that is newer stops it. */
async function newerThanExpected(
  { deps, effect }: Preparation,
  target: JsonObject,
  read: FreshConversation['newest'],
): Promise<Prepared | null> {
  const expectedAt = target['expectedAt'];
  if (typeof expectedAt !== 'number') return null;
  const newest =
    read ?? (await deps.claim.tx((tx) => newestInbound(tx, effect.account.id, targetText(target, 'chatId') ?? '')));
  if (!newest || newest.sentAt <= expectedAt) return null;
  return { go: false, outcome: NEWER_MESSAGE, reason: `a newer message arrived: ${newest.messageId}` };
}

/** An answer that was approved is sent only where nobody answered since. @param wroteAt when the account wrote last, as it was read now */
async function answeredBesides(
  { deps, effect }: Preparation,
  target: JsonObject,
  wroteAt: number | null,
): Promise<Prepared | null> {
  const at = target['answersAt'];
  if (typeof at !== 'number') return null;
  const { personId, account, runId } = effect;
  const of = { accountId: account.id, chatId: targetText(target, 'chatId') ?? '', personId, at, except: runId };
  const answered = (wroteAt ?? 0) > at || (await deps.claim.tx((tx) => isAnsweredBesides(tx, of)));
  return answered ? { go: false, outcome: NEWER_MESSAGE, reason: 'somebody answered the person meanwhile' } : null;
}

/** An InMail opens a conversation of its own, but a person who has written already is left alone. */
async function prepareInMail(given: Preparation, target: JsonObject): Promise<Prepared> {
  const obstacle = await inMailObstacle(given, target);
  if (obstacle) return prepared(given, target, obstacle);
  await checkForReply(given.deps, given.provider, given.effect, target, given.signal);
  const { chatId: _chat, ...rest } = target;
  return { go: true, target: rest };
}

async function prepareWithdrawal(given: Preparation, target: JsonObject): Promise<Prepared> {
  if (targetText(target, 'invitationId')) return { go: true, target };
  const invitationId = await findInvitation(given, target);
  return prepared(given, target, invitationId === null ? 'not_pending' : { invitationId });
}

/** The request that waits for this person's answer, however many came after it; null: there is none. */
async function findInvitation({ provider, effect, signal }: Preparation, target: JsonObject): Promise<string | null> {
  const [providerId, publicId] = [targetText(target, 'providerId'), targetText(target, 'publicId')];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_INVITATION_PAGES; pages++) {
    const page: Page<NetworkInvitation> = await provider.listSentInvitations(accountOf(effect), {
      limit: 100,
      signal,
      ...(cursor ? { cursor } : {}),
    });
    // The provider does not always tell its own id of the person.
    const found = page.items.find(
      (item) => (providerId && item.providerId === providerId) || (publicId && item.publicId === publicId),
    );
    if (found) return found.invitationId;
    if (!page.cursor || page.items.length === 0) return null;
    cursor = page.cursor;
  }
  // Not seen in what we may read is no proof that it is not there.
  throw new ProviderError('unavailable_before_send', 'too many requests wait for an answer to find this one');
}

/** The person's id for this account, looked up once; what the look-up says of the relation may make the action needless. */
async function identify({ provider, effect, signal, note }: Preparation): Promise<Prepared> {
  const { claim } = effect.request;
  if (targetText(claim.target, 'providerId')) return { go: true, target: claim.target };
  const publicId = targetText(claim.target, 'publicId');
  if (!publicId) return refused(effect, 'rejected', NO_PROFILE);
  const profile = await provider.lookupProfile(accountOf(effect), { publicId }, signal);
  const metAs = targetText(claim.target, 'metAs');
  if (metAs && metAs !== profile.providerId) return notTheLead(effect, publicId, profile.providerId, metAs);
  const state = profile.connected ? 'connected' : profile.pending ? 'pending' : 'none';
  const { personId } = effect;
  // What says nothing new of a visit is kept when it is confirmed, with the person's id. Before anything that a person reads is
  // dispatched it has to be known whose id that is: two leads may turn out to be one person.
  if (personId && (state !== 'none' || !isHarmless(claim.action)))
    note({
      accountId: effect.account.id,
      personId,
      providerId: profile.providerId,
      state,
      profileId: publicId.toLowerCase(),
    });
  const obstacle = obstacleOf(claim.action, state);
  if (obstacle) return refused(effect, obstacle);
  const { metAs: _met, ...rest } = claim.target;
  return { go: true, target: { ...rest, providerId: profile.providerId } };
}

/** The account met the person under another id than the lead's own profile has: nothing leaves before a person has decided. */
function notTheLead(effect: GrantedEffect, publicId: string, providerId: string, metAs: string): Prepared {
  const reason = `the lead's profile ${publicId} is ${providerId} on the network, but the account met this person as ${metAs}`;
  return { ...refused(effect, 'rejected', reason), dead: true };
}

function obstacleOf(action: string, state: 'none' | 'pending' | 'connected'): RefusalKind | null {
  if (action === 'connection_request' && state === 'connected') return 'already_connected';
  if (action === 'connection_request' && state === 'pending') return 'already_pending';
  return (action === 'message' || action === 'endorse') && state !== 'connected' ? 'not_connected' : null;
}
