import type { JsonObject } from '../../base/json.ts';
import { extendThread, type MailThread } from '../../domain/mail-thread.ts';
import { memberNumber } from '../../domain/person-identity.ts';
import { messageIdOf } from '../../providers/mail/message-id.ts';
import type { SendRow } from '../../store/ledger/ledger.ts';
import type { LeadBasics, RelationRow } from '../../store/runs/batch-facts.ts';
import type { Advance, AdvanceContext } from '../walk/step.ts';
import { targetText } from './target-text.ts';

/** What is known of the person for this account. */
export function personTarget({ run }: Advance, { snap }: AdvanceContext, accountId: string): JsonObject {
  return targetOf(snap.leads.get(run.leadId), snap.relations.get(`${accountId}/${run.personId}`));
}

/** A person as far as lead and relation tell. */
export function targetOf(lead: LeadBasics | undefined, relation: RelationRow | undefined): JsonObject {
  const publicId = memberNumber(lead?.profileUrl ?? '') ?? lead?.profileId ?? '';
  return {
    profileUrl: lead?.profileUrl ?? '',
    publicId,
    ...(relation?.providerId ? metBy(publicId, relation.providerId, relation.profileId) : {}),
    ...(relation?.chatId ? { chatId: relation.chatId } : {}),
    ...(relation?.invitationId ? { invitationId: relation.invitationId } : {}),
    ...(relation?.chatSyncedAt ? { chatSyncedAt: relation.chatSyncedAt } : {}),
  };
}

/** The person's id for the account where this profile proved it; else by which id the person was met, which its look-up is held against. */
function metBy(publicId: string, providerId: string, profileId: string | null): JsonObject {
  return profileId !== null && profileId === publicId.toLowerCase() ? { providerId } : { metAs: providerId };
}

/** A mail is known by its Message-ID from the claim on, so that a look-up finds it after a crash at any point. */
export function mailTarget({ snap }: AdvanceContext, sendId: string, accountId: string): JsonObject {
  return { messageId: messageIdOf(sendId, snap.accounts.get(accountId)?.externalId ?? '') };
}

/** The thread that the next mail goes into. */
export function threadAfter(send: SendRow): MailThread {
  const { references } = send.target;
  return extendThread({
    accountId: send.accountId,
    subject: targetText(send.target, 'subject') ?? '',
    references: Array.isArray(references) ? references.filter((one) => typeof one === 'string') : [],
    // A mail that names an id which nobody has got opens a thread of its own where it arrives.
    messageId: targetText(send.target, 'givenId') ?? targetText(send.target, 'messageId') ?? '',
    to: targetText(send.target, 'to') ?? undefined,
  });
}
