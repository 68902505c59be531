import { UserError } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import { defaultMailbox } from '../../store/accounts/provider-accounts.ts';
import { readMailboxPause } from '../../store/mail/mailboxes.ts';
import { notFound, wrongState } from '../errors.ts';
import { accountBudgets } from '../network-accounts/account-budgets.ts';
import { type AccountRow, isPaused, requireAccount, restOf } from '../network-accounts/account-row.ts';

/** A mailbox that may send, and how many mails it may still send today for the workspace. */
export interface SendingMailbox {
  account: AccountRow;
  remaining: number;
}

/**
 * The mailbox that sends: the one that is named, else the workspace's default.
 * @param wanted `now`: epoch ms, product time; `units`: people whom the mail goes to; each one takes one of the day's mails
 * @throws UserError when there is none, or it may not send so many now
 */
export async function sendingMailbox(
  tx: Tx,
  workspaceId: string,
  providerAccountId: string | undefined,
  { now, units }: { now: number; units: number },
): Promise<SendingMailbox> {
  const account = await chosen(tx, workspaceId, providerAccountId, now);
  const ill = await illnessOf(tx, account, now);
  if (ill) throw wrongState(`Mailbox "${account.id}" ${ill}`, 'svc_list_provider_accounts');
  const line = (await accountBudgets(tx, account, now, ['mail'])).find((one) => one.window === 'day');
  if (!line) throw new Error('a mailbox has a budget of mails');
  const remaining = line.workspaceShareRemaining;
  if (remaining >= units) return { account, remaining };
  if (remaining > 0)
    throw new UserError(
      `The mail goes to ${units} people, each person counts, and mailbox "${account.id}" may send ${remaining} more mails today; that resets at ${line.resetsAt}. Leave people out of cc, or call svc_list_provider_accounts for another mailbox.`,
      'BudgetUsedUp',
    );
  throw new UserError(
    `The daily limit of mailbox "${account.id}" is used up: ${line.used} of ${line.effectiveLimit} mails; it resets at ${line.resetsAt}. Call svc_list_provider_accounts.`,
    'BudgetUsedUp',
  );
}

async function chosen(
  tx: Tx,
  workspaceId: string,
  providerAccountId: string | undefined,
  now: number,
): Promise<AccountRow> {
  const id = providerAccountId ?? (await defaultMailbox(tx, workspaceId, now))?.id;
  if (id === undefined)
    throw wrongState('No connected mailbox is linked to the workspace', 'svc_list_provider_accounts');
  const linked = await tx.row(
    `select 1
     from account_link l
     join mailbox m on m.account_id = l.account_id
     where l.account_id = $1 and l.workspace_id = $2`,
    [id, workspaceId],
  );
  if (!linked) throw notFound('providerAccount', id);
  return requireAccount(tx, id, ['mail']);
}

/** Why it sends nothing now; null: it may. */
async function illnessOf(tx: Tx, account: AccountRow, now: number): Promise<string | null> {
  if (account.status !== 'ok') return `is not connected (${account.status.replaceAll('_', ' ')})`;
  if (isPaused(account)) {
    const { pauseReason } = await readMailboxPause(tx, account.id);
    return pauseReason === '' ? 'is paused' : `is paused (${pauseReason})`;
  }
  return restOf(account, now) ?? (account.health <= 0 ? 'has no health left' : null);
}
