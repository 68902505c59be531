import type { Logger } from '../../base/log.ts';
import type { ProductClock } from '../../base/product-clock.ts';
import { authAfter, CONFIRM_AFTER_MS } from '../../domain/mail-auth.ts';
import { type AskDns, type DomainProofs, domainProofs, systemDns } from '../../providers/mail/domain-proofs.ts';
import { type DomainStand, keepMailCheck, readMailChecks, readSelectors } from '../../store/mail/mail-checks.ts';
import type { LeaseKeeper } from '../lease/lease-keeper.ts';
import type { MailDesk } from './mail-desk.ts';

/** What a look at a domain needs. */
interface DomainCheckDeps {
  claim: LeaseKeeper;
  clock: ProductClock;
  mail?: MailDesk | undefined;
  log: Logger;
}

const DAY_MS = 86_400_000;
/** A domain that stands well is looked at again after so long. */
const QUIET_MS = DAY_MS / 4;
/** Selectors that were not seen for so long are no longer in use. */
const SELECTORS_MS = 90 * DAY_MS;

/**
 * Looks at what the domain of the claimed mailbox proves, where it is time to, and keeps it. The sandbox's domains are no real ones:
 * they are looked up only where the desk says by whom.
 */
export async function checkDomain(
  { claim, clock, mail, log }: DomainCheckDeps,
  box: { address: string; provider: string },
): Promise<void> {
  const ask = mail?.dns ?? (box.provider === 'sandbox' ? null : systemDns());
  if (!ask) return;
  const domain = box.address.slice(box.address.lastIndexOf('@') + 1).toLowerCase();
  const now = clock.now();
  // Each sync comes here, and most find that it is not time yet.
  const known = await claim.tx(async (tx) => {
    const last = (await readMailChecks(tx, [claim.key])).find((one) => one.domain === domain);
    if (last && now < dueAt(last)) return null;
    return { last, selectors: await readSelectors(tx, claim.key, now - SELECTORS_MS) };
  });
  if (known === null) return;
  const selectors = known.selectors.filter((one) => one.domain === domain);
  const seen = await lookUp(
    domain,
    selectors.map((one) => one.selector),
    ask,
  );
  if (seen === null) {
    log.warn({ accountId: claim.key, domain }, 'a sending domain can not be looked up');
    return;
  }
  const stand = standAfter(known.last?.stand, seen, now);
  if (selectors.length > 0 && selectors.every((one) => !one.oneClick))
    stand.problems.push(
      'DKIM: the signature leaves out List-Unsubscribe and List-Unsubscribe-Post: large providers ignore them then',
    );
  await claim.tx((tx) => keepMailCheck(tx, { accountId: claim.key, domain, checkedAt: now, stand }));
}

/** A library that fails says nothing of the domain. */
function lookUp(domain: string, selectors: readonly string[], ask: AskDns): Promise<DomainProofs | null> {
  return domainProofs(domain, selectors, ask).catch(() => null);
}

/** When to look again: what is not well, or not known, after an hour. */
function dueAt({ checkedAt, stand }: { checkedAt: number; stand: DomainStand }): number {
  const well = [stand.spf, stand.dmarc].every(({ state }) => state === 'pass') && stand.dkim.failedAt === null;
  return checkedAt + (well ? QUIET_MS : CONFIRM_AFTER_MS);
}

function standAfter(before: DomainStand | undefined, seen: DomainProofs, now: number): DomainStand {
  return {
    spf: authAfter(before?.spf, seen.spf, now),
    dkim: authAfter(before?.dkim, seen.dkim, now),
    dmarc: authAfter(before?.dmarc, seen.dmarc, now),
    dmarcPolicy: seen.dmarcPolicy,
    problems: [...seen.problems],
  };
}
