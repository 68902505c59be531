import { createHash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import { withFooter } from '../../domain/mail-footer.ts';
import type { MailSession, OutgoingMail } from '../../providers/mail/mail-provider.ts';
import { ProviderError } from '../../providers/network/network-provider.ts';
import { keepUnsubscribeToken } from '../../store/mail/mail-sync.ts';
import { readPostalAddress } from '../../store/mail/mailboxes.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { ChannelAccount } from '../ledger/channel-account.ts';
import type { GrantedEffect } from '../ledger/claim-effects.ts';
import type { EffectChannel } from '../ledger/effect-channel.ts';
import { targetText } from '../ledger/target-text.ts';
import { checkInbox, checkInboxBefore } from './fresh-inbox.ts';
import { openMailbox } from './mail-desk.ts';

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
      if (targetText(target, 'wroteFrom') || referencesOf(target).length > 0)
        await checkInbox(deps, box, effect, signal);
      await checkInboxBefore(deps, effect, signal);
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
