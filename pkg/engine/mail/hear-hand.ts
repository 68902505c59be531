import { sendIdsIn } from '../../providers/mail/message-id.ts';
import { ProviderError } from '../../providers/network/network-provider.ts';
import { keepSentMark, mailsByHand, readSentMark } from '../../store/mail/mails-by-hand.ts';
import { holdForHuman } from '../../store/runs/hold-for-human.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { OpenMailbox } from './mail-desk.ts';

/** A mailbox that was never looked at is looked at from this far back: what is older came before the runs of today. */
const FIRST_LOOK_MS = 86_400_000;
/** A mail is seen in the folder a while after it left. */
const OVERLAP_MS = 10 * 60_000;
/** Mails of one look; the newest count. */
const MOST_MAILS = 1_000;

/**
 * Holds the runs of those whom somebody wrote to by hand, in their own mail application, since the last look: human and robot never talk
 * at once. @param freshMs a look that is younger than this is good enough (product time)
 */
export async function hearHand(
  { claim, clock, log }: Pick<EngineDeps, 'claim' | 'clock' | 'log'>,
  { provider, mailbox }: OpenMailbox,
  freshMs = 0,
): Promise<void> {
  const { accountId } = mailbox;
  const now = clock.now();
  const last = await claim.tx((tx) => readSentMark(tx, accountId));
  if (last > now - freshMs) return;
  const since = last === 0 ? now - FIRST_LOOK_MS : last - OVERLAP_MS;
  const sent = await provider.listSent(mailbox, since, claim.signal).catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error;
    // Some servers keep no copies; that says nothing of the inbox.
    log.warn({ accountId, reason: error.message }, 'the folder of sent mails can not be read');
    return null;
  });
  if (sent === null) return;
  const byHand = sent
    .filter(({ messageId, givenId = '' }) => sendIdsIn(`${messageId} ${givenId}`).length === 0)
    .slice(-MOST_MAILS)
    .map(({ to, at }) => ({ to, at: Math.min(at ?? now, now) }));
  await claim.tx(async (tx) => {
    const written = byHand.length === 0 ? [] : await mailsByHand(tx, accountId, byHand);
    for (const { personId, at } of written)
      await holdForHuman(tx, { now, accountId, personIds: [personId], at, by: null });
    await keepSentMark(tx, accountId, now);
  });
}
