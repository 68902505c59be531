import { createHash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../base/json.ts';
import { withFooter } from '../domain/mail-footer.ts';
import type { Tx } from '../postgres/database.ts';
import type { IncomingMail, MailSession, OutgoingMail } from '../providers/mail/mail-provider.ts';
import { ProviderError } from '../providers/network/network-provider.ts';
import { recordReply } from '../store/inbox.ts';
import { keepUnsubscribeToken, readInboxMark } from '../store/mail-sync.ts';
import { readMailbox, readPostalAddress } from '../store/mailboxes.ts';
import type { ChannelAccount } from './channel-account.ts';
import type { GrantedEffect } from './claim-effects.ts';
import type { EffectChannel } from './effect-channel.ts';
import type { EngineDeps } from './engine-deps.ts';
import { inboxStand } from './inbox-stand.ts';
import { type OpenMailbox, openMailbox } from './mail-desk.ts';
import { humanReplies, matchInbox, replyIn } from './match-inbox.ts';
import { targetText } from './target-text.ts';

/** An inbox that was read longer ago than this (product time) is read before a mail goes into a thread. */
const FRESH_MS = 5 * 60_000;
/** Pages of new mails that are read before a mail. */
const MAX_PAGES = 5;

/** Effects of a mailbox. @throws Error that names the next step when it can't be opened here */
export async function openMailChannel(deps: EngineDeps, account: ChannelAccount): Promise<EffectChannel> {
  const box = await openMailbox(deps.mail, deps.claim, account.id);
  // Never stored in the clear: it lives from the preparation to the request.
  let unsubscribeUrl: string | null = null;
  let postalAddress = '';
  let session: MailSession | undefined;
  return {
    settleAfterMs: box.provider.settleAfterMs,
    async prepare(effect, signal) {
      const { target } = effect.request.claim;
      await checkInboxes(deps, box, effect, signal);
      unsubscribeUrl = await giveToken(deps, effect);
      // Before the dispatch: logging in takes time that the request does not have.
      session = await box.provider.open(box.mailbox, signal);
      postalAddress = await deps.claim.tx((tx) => readPostalAddress(tx, deps.workspaceId));
      return { go: true, target };
    },
    async perform(effect, target, options) {
      if (!session) throw new ProviderError('unavailable_before_send', 'the mail was not prepared');
      return session.send(outgoing(deps, effect, target, { unsubscribeUrl, postalAddress }), options);
    },
    close: () => session?.close(),
    lookup: ({ target, dispatchedAt }, signal) => {
      const meant = { to: targetText(target, 'to') ?? '', since: dispatchedAt ?? 0 };
      return box.provider.findSent(box.mailbox, targetText(target, 'messageId') ?? '', meant, signal);
    },
  };
}

function outgoing(
  deps: EngineDeps,
  { request }: GrantedEffect,
  target: JsonObject,
  footer: { unsubscribeUrl: string | null; postalAddress: string },
): OutgoingMail {
  const to = targetText(target, 'to');
  if (!to) throw new ProviderError('rejected', 'the lead has no mail address');
  return {
    messageId: targetText(target, 'messageId') ?? '',
    to,
    subject: targetText(target, 'subject') ?? '',
    text: withFooter(request.claim.body ?? '', { ...footer, link: target['link'] !== false }),
    date: deps.clock.now(),
    references: referencesOf(target),
    unsubscribeUrl: footer.unsubscribeUrl,
  };
}

function referencesOf(target: JsonObject): string[] {
  const { references } = target;
  return Array.isArray(references) ? references.filter((one) => typeof one === 'string') : [];
}

/** An address of this mail's own; its secret is kept nowhere. Null without an ingress. */
async function giveToken(deps: EngineDeps, effect: GrantedEffect): Promise<string | null> {
  const { personId } = effect;
  const base = deps.mail?.ingressUrl;
  if (!base || !personId) return null;
  const secret = randomBytes(24).toString('base64url');
  const hash = createHash('sha256').update(secret).digest();
  await deps.claim.tx((tx) =>
    keepUnsubscribeToken(tx, {
      hash,
      workspaceId: deps.workspaceId,
      personId,
      accountId: effect.account.id,
      now: deps.clock.now(),
    }),
  );
  return `${base}/u/${secret}`;
}

/** Before each mail but the first: the inbox of the mailbox that writes, and of the one that wrote before. */
async function checkInboxes(
  deps: EngineDeps,
  box: OpenMailbox,
  effect: GrantedEffect,
  signal: AbortSignal,
): Promise<void> {
  const { target } = effect.request.claim;
  const before = targetText(target, 'wroteFrom');
  if (before || referencesOf(target).length > 0) await checkForReply(deps, box, effect, signal);
  if (!before || before === effect.account.id) return;
  // One that is no longer linked is nobody's here to read.
  const isLinked = await deps.claim.tx((tx) => readMailbox(tx, before));
  if (isLinked) await checkForReply(deps, await openMailbox(deps.mail, deps.claim, before), effect, signal);
}

/** A reply that sync has not seen yet is recorded at once, which cancels the send; the dispatch then refuses it. */
async function checkForReply(
  deps: EngineDeps,
  { provider, mailbox }: OpenMailbox,
  effect: GrantedEffect,
  signal: AbortSignal,
): Promise<void> {
  const { claim, clock } = deps;
  const at = await claim.tx((tx) => readInboxMark(tx, mailbox.accountId));
  if (at.readAt > clock.now() - FRESH_MS) return;
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
  for (const one of humanReplies(matched)) {
    if (personId === null || ![one.personId, ...one.writers].includes(personId)) continue;
    const { replyClass, returnAt } = replyIn(one.mail);
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
