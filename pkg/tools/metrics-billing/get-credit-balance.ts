import { z } from 'zod';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

export const getCreditBalance = tool({
  name: 'svc_get_credit_balance',
  domain: 'Metrics & Billing',
  title: 'Get credit balance',
  description: 'Reads balance, held and available credits. Next: svc_list_credit_transactions.',
  example: { input: {} },
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam }),
  output: z.object({
    workspaceId: z.string(),
    balance: z.number(),
    held: z.number(),
    available: z.number(),
    asOf: z.string(),
  }),
  async run(ctx) {
    const row = await ctx.tx((tx) =>
      tx.row<{ balance: number; held: number }>('select balance, held from credit_balance where workspace_id = $1', [
        ctx.workspaceId,
      ]),
    );
    const { balance = 0, held = 0 } = row ?? {};
    const asOf = iso(ctx.clocks.product.now());
    return { workspaceId: ctx.workspaceId, balance, held, available: balance - held, asOf };
  },
});
