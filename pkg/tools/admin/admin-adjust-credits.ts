import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { moveCredits } from '../../store/credits/credits.ts';
import { wakeWaiting } from '../../store/runs/waiting-runs.ts';
import { invalidInput } from '../errors.ts';
import { keyReused } from '../idempotency/key-reused.ts';
import { tool } from '../tool.ts';
import { requireAdminWorkspace } from './require-workspace.ts';

export const adminAdjustCredits = tool({
  name: 'svc_admin_adjust_credits',
  domain: 'Admin (platform admins only)',
  title: 'Admin: adjust credits',
  description:
    'Grants or takes credits through the ledger; idempotent by key; never below the held amount. Next: svc_admin_get_workspace.',
  example: {
    input: { workspaceId: '$newWorkspaceId', amount: 250, reason: 'invoice 1042', idempotencyKey: 'invoice-1042' },
    caller: 'admin',
    other: { amount: 251 },
  },
  scope: 'admin:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'platform',
  input: z.strictObject({
    workspaceId: z.string().min(1),
    amount: z.int().min(-10_000_000).max(10_000_000).describe('Non-zero.'),
    reason: z.string().min(1).max(500).describe('Kept in the audit log.'),
    idempotencyKey: z.string().min(1).max(128),
  }),
  output: z.object({ creditTransactionId: z.string(), balance: z.number(), deduplicated: z.boolean() }),
  async run(ctx, input) {
    if (input.amount === 0) throw invalidInput('amount', 'must not be 0');
    await ctx.platformTx((tx) => requireAdminWorkspace(tx, input.workspaceId));
    let made = false;
    const adjusted = await ctx.create(input.workspaceId, async (tx) => {
      const result = await moveCredits(tx, {
        workspaceId: input.workspaceId,
        kind: input.amount > 0 ? 'grant' : 'adjust',
        amount: input.amount,
        reason: input.reason,
        tool: 'svc_admin_adjust_credits',
        keyPrefix: ctx.caller.keyPrefix,
        idempotencyKey: `adjust:${input.idempotencyKey}`,
        now: ctx.clocks.product.now(),
      });
      if (result.kind === 'short') {
        throw new UserError(
          `Taking ${-input.amount} credits would go below what is held; ${result.available} are available. Call svc_admin_get_workspace.`,
          'BelowHeld',
        );
      }
      // The ledger knows a key for good, the answer is kept for seven days.
      if (result.kind === 'seen' && result.amount !== input.amount) throw keyReused();
      made = result.kind !== 'seen';
      return { creditTransactionId: result.entryId, balance: result.balance };
    });
    // What waited for credits looks again at once; after a repeated call too, for the first may have broken off before.
    const over = { reason: 'credits', workspaceId: input.workspaceId, now: ctx.clocks.product.now() } as const;
    if (input.amount > 0) await wakeWaiting(ctx.unrecorded, over);
    return { ...adjusted, deduplicated: !made };
  },
});
