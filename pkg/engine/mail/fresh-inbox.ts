import { messageOf } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import type { IncomingMail } from '../../providers/mail/mail-provider.ts';
import { ProviderError } from '../../providers/network/network-provider.ts';
import { recordReply } from '../../store/inbox/inbox.ts';
import { readInboxMark } from '../../store/mail/mail-sync.ts';
import { readMailbox } from '../../store/mail/mailboxes.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { GrantedEffect } from '../ledger/claim-effects.ts';
import { targetText } from '../ledger/target-text.ts';
import { hearHand } from './hear-hand.ts';
import { inboxStand } from './inbox-stand.ts';
import { type OpenMailbox, openMailbox } from './mail-desk.ts';
import { matchInbox, repliesIn, replyIn } from './match-inbox.ts';

/** An inbox that was read longer ago than this (product time) is read before a mail. */
const FRESH_MS = 5 * 60_000;
/** Before a message on the network: sync comes round more often while it can. */
const FRESH_FOR_NETWORK_MS = 15 * 60_000;
/** Next try where the mailbox is not set up to be opened here. */
const CLOSED_MS = 15 * 60_000;
/** Pages of new mails that are read before a mail. */
const MAX_PAGES = 5;

/**
 * Before the one who was written to by mail is contacted again, whatever the channel: the inbox of the mailbox that wrote. One that is
 * no longer linked is nobody's here to read. @throws ProviderError when it can't be read
 */
export async function checkInboxBefore(deps: EngineDeps, effect: GrantedEffect, signal: AbortSignal): Promise<void> {
  const { request, account } = effect;
  const before = targetText(request.claim.target, 'wroteFrom');
  if (!before || before === account.id || !deps.mail) return;
  if (!(await deps.claim.tx((tx) => readMailbox(tx, before)))) return;
  const box = await openMailbox(deps.mail, deps.claim, before).catch((error: unknown) => {
    // It says nothing of the provider that is about to act.
    throw new ProviderError('unavailable_before_send', messageOf(error), CLOSED_MS);
  });
  await checkInbox(deps, box, effect, signal, account.kind === 'mail' ? FRESH_MS : FRESH_FOR_NETWORK_MS);
}

/** A reply that sync has not seen yet is recorded at once, which cancels the send; the dispatch then refuses it. */
export async function checkInbox(
  deps: EngineDeps,
  box: OpenMailbox,
  effect: GrantedEffect,
  signal: AbortSignal,
  freshMs = FRESH_MS,
): Promise<void> {
  const { claim, clock } = deps;
  const { provider, mailbox } = box;
  await hearHand(deps, box, freshMs);
  const at = await claim.tx((tx) => readInboxMark(tx, mailbox.accountId));
  if (at.readAt > clock.now() - freshMs) return;
  const stand = inboxStand(at, clock.now());
  let { mark } = stand;
  for (let page = 0; page < MAX_PAGES; page++) {
    const read = await provider.readInbox(mailbox, mark, stand.since, signal);
    await claim.tx((tx) => recordReplies(tx, mailbox.accountId, effect.personId, read.mails, clock.now()));
    if (!read.more) return;
    mark = read.mark;
  }
  // Sync reads on meanwhile.
  throw new ProviderError('unavailable_before_send', 'the inbox has more new mails than can be read before a mail');
}

/** Records what the person of this mail wrote. */
async function recordReplies(
  tx: Tx,
  accountId: string,
  personId: string | null,
  mails: readonly IncomingMail[],
  now: number,
): Promise<void> {
  const matched = await matchInbox(tx, accountId, mails);
  for (const one of await repliesIn(tx, accountId, matched)) {
    if (personId === null || ![one.personId, ...one.writers].includes(personId)) continue;
    const { replyClass, returnAt } = replyIn(one.mail, one.sent);
    await recordReply(tx, {
      now,
      accountId,
      personId,
      at: one.mail.receivedAt,
      replyClass,
      resumeAt: returnAt,
    });
  }
}
