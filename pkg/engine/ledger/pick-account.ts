import { hashFloat } from '../../domain/random.ts';
import type { AccountRow, FlowRow } from '../../store/runs/batch-facts.ts';
import type { RunRow } from '../../store/runs/runs.ts';
import type { AdvanceContext } from '../walk/step.ts';

/** Whether an account sends for a workflow: one of those that it names, or any where it names none. */
export function isSenderOf(flow: Pick<FlowRow, 'networkAccountIds'> | undefined, accountId: string): boolean {
  const named = flow?.networkAccountIds ?? [];
  return named.length === 0 || named.includes(accountId);
}

/**
 * The account that sends for a run, or null when none is usable: one that already knows the person (connected before
 * pending), else spread by lead, so that all accounts of the workflow get their share and a restart chooses the same.
 * Without named senders all linked accounts send.
 */
export function pickAccount(run: RunRow, context: AdvanceContext): string | null {
  const { snap } = context;
  const flow = snap.flows.get(run.workflowId);
  const usable = [...snap.accounts.values()].filter(
    (account) => account.kind === 'network' && account.usable && isSenderOf(flow, account.id),
  );
  if (usable.length === 0) return null;
  const state = (account: AccountRow): string => snap.relations.get(`${account.id}/${run.personId}`)?.state ?? 'none';
  const known =
    usable.find((account) => state(account) === 'connected') ?? usable.find((account) => state(account) === 'pending');
  if (known) return known.id;
  return usable[Math.floor(hashFloat('sender', run.leadId) * usable.length)]?.id ?? null;
}
