import { hashFloat } from '../../domain/random.ts';
import type { Advance, AdvanceContext } from '../walk/step.ts';

/**
 * The mailbox that writes to a lead: the one that has written before, unless the node rotates; else spread by lead (by
 * lead and node when it rotates), so that a restart chooses the same. Null when none is usable. Without named mailboxes
 * all linked ones write.
 */
export function pickMailbox(walk: Advance, context: AdvanceContext, nodeId: string, rotate: boolean): string | null {
  const { run, facts } = walk;
  const { snap } = context;
  const known = facts.mail ? snap.accounts.get(facts.mail.accountId) : undefined;
  if (known && !rotate) return known.id;
  // Calendars are named in the same list.
  const named = (snap.flows.get(run.workflowId)?.providerAccountIds ?? []).filter(
    (id) => snap.accounts.get(id)?.kind === 'mail',
  );
  const usable = [...snap.accounts.values()].filter(
    (account) => account.kind === 'mail' && account.usable && (named.length === 0 || named.includes(account.id)),
  );
  const draw = rotate ? hashFloat('mailbox', run.leadId, nodeId) : hashFloat('mailbox', run.leadId);
  return usable[Math.floor(draw * usable.length)]?.id ?? null;
}
