import type { BudgetAction } from '../../../domain/actions.ts';
import { effectiveLimit } from '../../../domain/budget.ts';
import { nextLocalMidnight } from '../../../domain/budget-window.ts';
import { compileGraph } from '../../../nodes/compile-graph.ts';
import { nodeTypeOf } from '../../../nodes/registry.ts';
import { accountBudgets, ownLimits } from '../../network-accounts/account-budgets.ts';
import { type AccountRow, requireAccount } from '../../network-accounts/account-row.ts';
import { iso } from '../../times.ts';
import { graphOf } from '../../workflows/check-graph.ts';
import { readGraph, type WorkflowRow } from '../../workflows/workflow-row.ts';
import type { Cause, CheckContext } from './check.ts';

/** Accounts of one workflow whose budgets are looked at. */
const MOST_ACCOUNTS = 20;

/**
 * Why leads wait for a budget that does not come by itself: what they need is not allowed at all. Null: there is more on another
 * day.
 */
export async function budgetCause(
  context: CheckContext,
  workflow: WorkflowRow,
  accountIds: readonly string[],
): Promise<Cause | null> {
  const actions = await actionsOf(context, workflow);
  for (const id of accountIds.slice(0, MOST_ACCOUNTS)) {
    const account = await requireAccount(context.tx, id, ['network', 'mail']);
    const cause = account.kind === 'network' ? await emptyBudget(context, account, actions) : null;
    if (cause) return cause;
  }
  return null;
}

/** Budgets that steps of the graph in force spend. */
async function actionsOf({ tx }: CheckContext, workflow: WorkflowRow): Promise<ReadonlySet<BudgetAction>> {
  const stored = await readGraph(tx, workflow);
  if (!stored) return new Set();
  const { compiled } = compileGraph(graphOf(stored.graph as never), { inForce: true });
  const actions = (compiled?.nodes ?? []).flatMap((node) => {
    const type = nodeTypeOf(node.nodeType);
    return type.kind === 'effect' ? type.budgets(node.config as never) : [];
  });
  return new Set(actions);
}

async function emptyBudget(
  { tx, workspaceId, now }: CheckContext,
  account: AccountRow,
  actions: ReadonlySet<BudgetAction>,
): Promise<Cause | null> {
  const networkAccountId = account.id;
  if (account.health <= 0)
    return {
      text: `wait for budget of account ${networkAccountId}, whose health is 0, so that it may do nothing`,
      tool: 'svc_get_network_account_health',
      input: { networkAccountId },
    };
  const lines = await accountBudgets(tx, account, now);
  const none = lines.find((line) => line.limit === 0 && actions.has(line.action as BudgetAction));
  if (none) return notAllowed(account, none.action as BudgetAction, none.window);
  const own = (await ownLimits(tx, account, now)).find(
    ({ action, most }) => most === 0 && actions.has(action as BudgetAction),
  );
  if (!own) return null;
  return {
    text: `wait for budget: the limits of the workspace allow it no ${own.action} (dailyActions)`,
    tool: 'svc_admin_update_workspace',
    input: { workspaceId, reason: `limits.dailyActions allows no ${own.action}` },
  };
}

/** A limit of 0: the account's own setting, or that its tier has no such action. */
function notAllowed(account: AccountRow, action: BudgetAction, window: 'day' | 'week'): Cause {
  const networkAccountId = account.id;
  const byTier = effectiveLimit(action, account.tier, null, 1, 1)[window];
  const text = `wait for budget: account ${networkAccountId} may do no ${action} (its limit of a ${window} is 0`;
  if (!byTier)
    return {
      text: `${text}, as its tier ${account.tier} has none); give the workflow another step`,
      tool: 'svc_update_workflow',
      input: {},
    };
  const limits = window === 'day' ? 'dailyLimits' : 'weeklyLimits';
  return {
    text: `${text} by its settings)`,
    tool: 'svc_update_network_account_settings',
    input: { networkAccountId, [limits]: { [action]: byTier } },
  };
}

/** Budgets of an account that are spent, each with when there is more. */
export async function spentBudgets({ tx, now }: CheckContext, account: AccountRow): Promise<string[]> {
  const ownSpent = (await ownLimits(tx, account, now)).filter(({ most, spent }) => spent > 0 && spent >= most);
  const own = new Set(ownSpent.map(({ action }) => action));
  // What only the workspace's own limit ends is said below.
  const spent = (await accountBudgets(tx, account, now)).filter(
    (line) =>
      line.used > 0 &&
      line.workspaceShareRemaining === 0 &&
      (line.remaining === 0 || line.window !== 'day' || !own.has(line.action)),
  );
  const midnight = iso(nextLocalMidnight(now, account.timezone));
  return [
    ...spent.map((row) => {
      const kept = row.remaining > 0 ? `, the other ${row.remaining} are guaranteed to other workspaces` : '';
      return `${row.action}: ${row.used} of ${row.effectiveLimit} used this ${row.window}${kept}, more from ${row.resetsAt}.`;
    }),
    ...ownSpent.map(
      ({ action, spent: used, most }) =>
        `${action}: the workspace used ${used} of the ${most} that its limits allow it a day, more from ${midnight}.`,
    ),
  ];
}
