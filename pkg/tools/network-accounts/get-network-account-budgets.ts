import { z } from 'zod';
import { tool } from '../tool.ts';
import { accountBudgets, actionBudget } from './account-budgets.ts';
import { rampUpOf, rampUpRecord, requireAccount } from './account-row.ts';

export const getNetworkAccountBudgets = tool({
  name: 'svc_get_network_account_budgets',
  domain: 'Network Accounts',
  title: 'Get account budgets',
  description:
    'Budget per action and window: limit, ramp-up factor, used, reserved, remaining, reset time; shared by all workspaces of the account. Next: svc_get_workflow_stats.',
  example: { input: { networkAccountId: '$networkAccountId' } },
  scope: 'accounts:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ networkAccountId: z.string().min(1) }),
  output: z.object({ networkAccountId: z.string(), rampUp: rampUpRecord, budgets: z.array(actionBudget) }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const account = await requireAccount(tx, input.networkAccountId);
      const budgets = await accountBudgets(tx, account, now);
      const rampUp = rampUpOf(account, now);
      return { networkAccountId: account.id, rampUp, budgets };
    });
  },
});
