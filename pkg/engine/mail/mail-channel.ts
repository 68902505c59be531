import { createHash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import { mailValue } from '../../domain/exclusion-value.ts';
import { htmlWithFooter, type MailFooter, withFooter } from '../../domain/mail-footer.ts';
import type { MailSession, OutgoingMail } from '../../providers/mail/mail-provider.ts';
import { ProviderError } from '../../providers/network/network-provider.ts';
import { keepUnsubscribeToken } from '../../store/mail/mail-sync.ts';
import { readPostalAddress, readSignature } from '../../store/mail/mailboxes.ts';
import { excludedAmong } from '../../store/suppression/excluded-addresses.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { ChannelAccount } from '../ledger/channel-account.ts';
import type { GrantedEffect } from '../ledger/claim-effects.ts';
import type { EffectChannel } from '../ledger/effect-channel.ts';
import type { Prepared } from '../ledger/preparation.ts';
import { targetText } from '../ledger/target-text.ts';
import { checkInbox, checkInboxBefore } from './fresh-inbox.ts';
import { openMailbox } from './mail-desk.ts';

/** Effects of a mailbox. @throws Error that names the next step when it can't be opened here */
export async function openMailChannel(deps: EngineDeps, account: ChannelAccount): Promise<EffectChannel> {
  const box = await openMailbox(deps.mail, deps.claim, account.id);
  // Never stored in the clear: it lives from the preparation to the request.
  let unsubscribeUrl: string | null = null;
  let [postalAddress, signature] = ['', ''];
  let session: MailSession | undefined;
  return {
    settleAfterMs: box.provider.settleAfterMs,
    async prepare(effect, signal) {
      const { target } = effect.request.claim;
      if (targetText(target, 'wroteFrom') || target['knownAt'] || referencesOf(target).length > 0)
        await checkInbox(deps, box, effect, signal);
      await checkInboxBefore(deps, effect, signal);
      const barred = await barredReader(deps, effect);
      if (barred) return barred;
      unsubscribeUrl = hasAddress(target) ? await giveToken(deps, effect) : null;
      // Before the dispatch: logging in takes time that the request does not have.
      session = await box.provider.open(box.mailbox, signal);
      await deps.claim.tx(async (tx) => {
        postalAddress = await readPostalAddress(tx, deps.workspaceId);
        signature = await readSignature(tx, account.id);
      });
      return { go: true, target };
    },
    async perform(effect, target, options) {
      if (!session) throw new ProviderError('unavailable_before_send', 'the mail was not prepared');
      return session.send(outgoing(deps, effect, target, { unsubscribeUrl, postalAddress, signature }), options);
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
  given: Omit<MailFooter, 'link'>,
): OutgoingMail {
  const to = targetText(target, 'to');
  if (!to) throw new ProviderError('rejected', 'the lead has no mail address');
  const head = { messageId: targetText(target, 'messageId') ?? '', to, subject: targetText(target, 'subject') ?? '' };
  const calendar = targetText(target, 'calendar');
  if (calendar) {
    const method = targetText(target, 'method') === 'CANCEL' ? 'CANCEL' : 'REQUEST';
    const text = request.claim.body ?? '';
    return {
      ...head,
      text,
      date: deps.clock.now(),
      references: [],
      unsubscribeUrl: null,
      calendar: { method, text: calendar },
    };
  }
  const footer = { ...given, link: target['link'] !== false };
  const html = targetText(target, 'html');
  const cc = textsOf(target, 'cc');
  return {
    ...head,
    ...(cc.length > 0 ? { cc } : {}),
    text: withFooter(request.claim.body ?? '', footer),
    ...(html ? { html: htmlWithFooter(html, footer) } : {}),
    date: deps.clock.now(),
    references: referencesOf(target),
    unsubscribeUrl: given.unsubscribeUrl,
    ...(isListed(target) ? {} : { listed: false }),
  };
}

const referencesOf = (target: JsonObject): string[] => textsOf(target, 'references');

function textsOf(target: JsonObject, name: string): string[] {
  const given = target[name];
  return Array.isArray(given) ? given.filter((one) => typeof one === 'string') : [];
}

/** Whether the mail has the header by which lists are left. */
const isListed = (target: JsonObject): boolean => target['listed'] !== false;

/** Whether it has an address that ends it: one is for one reader, so that who gets a copy answers instead. */
const hasAddress = (target: JsonObject): boolean => isListed(target) && textsOf(target, 'cc').length === 0;

/**
 * Somebody who was to get a copy must not be contacted by now: nothing leaves, since its writer meant all of them. Nor who is invited, of
 * whom there need be no lead that the ledger looks at; that a meeting is off they may know.
 */
async function barredReader(deps: EngineDeps, { request }: GrantedEffect): Promise<Prepared | null> {
  const { target } = request.claim;
  const invited = targetText(target, 'calendar') && targetText(target, 'method') === 'REQUEST';
  const to = (invited && targetText(target, 'to')) || null;
  const readers = [...textsOf(target, 'cc'), ...(to ? [mailValue(to) ?? to] : [])];
  if (readers.length === 0) return null;
  const { workspaceId, clock } = deps;
  const [barred] = await deps.claim.tx((tx) => excludedAmong(tx, workspaceId, readers, clock.now()));
  if (!barred) return null;
  const reason = to
    ? 'who was to be invited must not be contacted any more'
    : 'somebody who was to get a copy must not be contacted any more';
  return { go: false, outcome: request.type.refusedOutcome('rejected'), reason };
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
