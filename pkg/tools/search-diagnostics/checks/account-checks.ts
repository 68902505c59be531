import type { Tx } from '../../../postgres/database.ts';
import { type AccountRow, isPaused, requireAccount } from '../../network-accounts/account-row.ts';
import { iso } from '../../times.ts';
import { spentBudgets } from './budget-cause.ts';
import { type Check, type CheckContext, fail, pass, waits } from './check.ts';
import { freezeCheck } from './freeze-check.ts';
import { unconfiguredText } from './unconfigured-text.ts';

/** Below this health (0 to 1) an account does so little that somebody should look at it. */
const POOR_HEALTH = 0.5;

/** Why a network account does nothing. */
export async function accountChecks(context: CheckContext): Promise<Check[]> {
  const { tx, workspaceId, targetId, now, isConfigured } = context;
  const account = await requireAccount(tx, targetId);
  const spent = await spentBudgets(context, account);
  const guard = await guardOf(tx, account.id);
  const networkAccountId = account.id;
  return [
    account.status === 'ok'
      ? pass('account_status', 'The account is connected.')
      : fail(
          'account_status',
          `The account is ${account.status} since ${iso(account.status_since)}.`,
          'svc_get_network_account_health',
          { networkAccountId },
        ),
    pausedCheck(account),
    isConfigured(account.provider)
      ? pass('provider', 'The provider of the account is configured here.')
      : fail('provider', unconfiguredText(account.id, account.provider), 'svc_admin_link_account', {
          action: 'register',
          accountKind: 'network',
          workspaceId,
        }),
    await freezeCheck({ ...context, channels: ['', 'network'] }, { accountId: account.id }),
    // Before the comparison: one that may not act here is never compared.
    rehearsalCheck(account, guard, workspaceId),
    guard?.guarded === false
      ? fail('compared', NOT_COMPARED, 'svc_get_network_account', { networkAccountId })
      : pass('compared', COMPARED),
    ...conditionChecks(account, now),
    ...spent.map((text) => waits('budget', text)),
  ];
}

export const NOT_COMPARED =
  'Postgres has started again and the sends of this account were not compared with its provider yet; this passes by itself once the provider answers.';
export const COMPARED = 'What the account sent agrees with its provider.';

interface Guard {
  guarded: boolean;
  rehearsed: boolean;
}

/** Whether an account was compared since Postgres started, and whether it may not act here. */
export function guardOf(tx: Tx, accountId: string): Promise<Guard | undefined> {
  return tx.row<Guard>('select app.is_guarded($1) as guarded, app.is_rehearsed($1) as rehearsed', [accountId]);
}

/** A real account does nothing in a rehearsal. */
export function rehearsalCheck({ id, kind }: AccountRow, guard: Guard | undefined, workspaceId: string): Check {
  if (!guard?.rehearsed) return pass('rehearsal', 'The account may act here.');
  const why =
    'This installation is a rehearsal (its clock once ran ahead of real time); real provider accounts act only in another one:';
  if (kind === 'mail')
    return fail(
      'rehearsal',
      `${why} an operator connects a mailbox of the sandbox.`,
      'svc_get_network_account_health',
      {
        networkAccountId: id,
      },
    );
  return fail('rehearsal', `${why} unlink this one, and register one of the sandbox.`, 'svc_admin_link_account', {
    action: 'unlink',
    accountKind: 'network',
    accountId: id,
    workspaceId,
  });
}

/** What its provider made of it: it rests, or is in poor health. @param now epoch ms, product time */
export function conditionChecks(account: AccountRow, now: number): Check[] {
  const networkAccountId = account.id;
  const cooling = account.cooldown_until !== null && account.cooldown_until > now;
  return [
    cooling
      ? fail(
          'cooldown',
          `The account rests until ${iso(account.cooldown_until ?? now)} after a limit signal; this passes by itself.`,
          'svc_get_network_account_health',
          { networkAccountId },
        )
      : pass('cooldown', 'The account does not rest.'),
    account.health >= POOR_HEALTH
      ? pass('health', `Health ${account.health}.`)
      : fail(
          'health',
          `Health is ${account.health}, and all limits of the account are multiplied by it.`,
          'svc_get_network_account_health',
          { networkAccountId },
        ),
  ];
}

function pausedCheck(account: AccountRow): Check {
  if (!isPaused(account)) return pass('account_paused', 'The account is not paused.');
  const byOwner = account.paused && account.linked > 1;
  const text = byOwner
    ? 'The account is paused for all workspaces that share it; the one that linked it first lets it go on.'
    : 'The account is paused.';
  return fail('account_paused', text, 'svc_update_network_account_settings', {
    networkAccountId: account.id,
    paused: false,
  });
}
