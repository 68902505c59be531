import { z } from 'zod';
import { tool } from '../tool.ts';
import { accountOf, networkAccount, requireAccount } from './account-row.ts';

export const getNetworkAccount = tool({
  name: 'svc_get_network_account',
  domain: 'Network Accounts',
  title: 'Get network account',
  description:
    'Reads one account: tier, timezone, business hours, ramp-up plan, workflows that send through it. Next: svc_get_network_account_budgets.',
  example: { input: { networkAccountId: '$networkAccountId' } },
  scope: 'accounts:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ networkAccountId: z.string().min(1) }),
  output: z.object({ networkAccount }),
  async run(ctx, input) {
    const row = await ctx.tx((tx) => requireAccount(tx, input.networkAccountId));
    return { networkAccount: accountOf(row, ctx.clocks.product.now()) };
  },
});
