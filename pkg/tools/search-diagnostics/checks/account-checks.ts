import { nextLocalMidnight } from '../../../domain/budget-window.ts';
import { accountBudgets, ownLimits } from '../../network-accounts/account-budgets.ts';
import { requireAccount } from '../../network-accounts/account-row.ts';
import { iso } from '../../times.ts';
import { type Check, type CheckContext, fail, pass } from './check.ts';
import { freezeText } from './freeze-text.ts';
import { unconfiguredText } from './unconfigured-text.ts';

/** Below this health (0 to 1) an account does so little that somebody should look at it. */
const POOR_HEALTH = 0.5;

/** Why a network account does nothing. */
export async function accountChecks({ tx, workspaceId, targetId, now, isConfigured }: CheckContext): Promise<Check[]> {
  const account = await requireAccount(tx, targetId);
  const freeze = await tx.row<{ scope: string; channel: string; reason: string; until: number | null }>(
    `select scope, channel, reason, until
     from send_freeze
     where (until is null or until > $2)
       and channel in ('', 'network')
       and (scope = 'platform' or (scope = 'workspace' and target = $3) or (scope = 'account' and target = $1))
     order by until desc nulls first, since limit 1`,
    [targetId, now, workspaceId],
  );
  const ownSpent = (await ownLimits(tx, account, now)).filter(({ most, spent }) => spent > 0 && spent >= most);
  const own = new Set(ownSpent.map(({ action }) => action));
  // What only the workspace's own limit ends is said below.
  const spent = (await accountBudgets(tx, account, now)).filter(
    (line) =>
      line.used > 0 &&
      line.workspaceShareRemaining === 0 &&
      (line.remaining === 0 || line.window !== 'day' || !own.has(line.action)),
  );
  const guard = await tx.row<{ guarded: boolean; rehearsed: boolean }>(
    'select app.is_guarded($1) as guarded, app.is_rehearsed($1) as rehearsed',
    [targetId],
  );
  const cooling = account.cooldown_until !== null && account.cooldown_until > now;
  return [
    account.status === 'ok'
      ? pass('account_status', 'The account is connected.')
      : fail(
          'account_status',
          `The account is ${account.status} since ${iso(account.status_since)}.`,
          'svc_get_network_account_health',
        ),
    account.paused
      ? fail('account_paused', 'The account is paused.', 'svc_update_network_account_settings')
      : pass('account_paused', 'The account is not paused.'),
    isConfigured(account.provider)
      ? pass('provider', 'The provider of the account is configured here.')
      : fail('provider', unconfiguredText(account.id, account.provider), 'svc_admin_link_account'),
    freeze
      ? fail('send_freeze', freezeText(freeze), 'svc_admin_set_send_freeze')
      : pass('send_freeze', 'No send freeze is in force.'),
    guard?.guarded === false
      ? fail(
          'compared',
          'Postgres has started again and the sends of this account were not compared with its provider yet; this passes by itself once the provider answers.',
          'svc_get_network_account',
        )
      : pass('compared', 'What the account sent agrees with its provider.'),
    guard?.rehearsed
      ? fail(
          'rehearsal',
          'This installation is a rehearsal (its clock once ran ahead of real time); real provider accounts act only in another one.',
          'svc_admin_link_account',
        )
      : pass('rehearsal', 'The account may act here.'),
    cooling
      ? fail(
          'cooldown',
          `The account rests until ${iso(account.cooldown_until ?? now)} after a limit signal.`,
          'svc_get_network_account_health',
        )
      : pass('cooldown', 'The account does not rest.'),
    account.health >= POOR_HEALTH
      ? pass('health', `Health ${account.health}.`)
      : fail(
          'health',
          `Health is ${account.health}, and all limits of the account are multiplied by it.`,
          'svc_get_network_account_health',
        ),
    ...spent.map((row) =>
      fail(
        'budget',
        `${row.action}: ${row.used} of ${row.effectiveLimit} used this ${row.window}${row.remaining > 0 ? `, the other ${row.remaining} are guaranteed to other workspaces` : ''}, more from ${row.resetsAt}.`,
        'svc_get_network_account_budgets',
      ),
    ),
    ...ownSpent.map((own) =>
      fail(
        'budget',
        `${own.action}: the workspace used ${own.spent} of the ${own.most} that its limits allow it a day, more from ${iso(nextLocalMidnight(now, account.timezone))}.`,
        'svc_get_network_account_budgets',
      ),
    ),
  ];
}
