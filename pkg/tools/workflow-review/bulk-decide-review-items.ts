import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { isDeadlock } from '../../postgres/deadlock.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { approve, reject, requirePending } from './decide.ts';
import { requireReview } from './review-row.ts';

export const bulkDecideReviewItems = tool({
  name: 'svc_bulk_decide_review_items',
  domain: 'Workflow Review',
  title: 'Decide many review items',
  description:
    'Approves or rejects up to 100 drafts at once, each on its own: one failure does not undo the others. Next: svc_list_review_items.',
  example: { input: { reviewItemIds: ['$draft4', '$draft5'], decision: 'approve' } },
  scope: 'workflows:write',
  decidesDrafts: true,
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'record',
  input: z.strictObject({
    reviewItemIds: z.array(z.string()).min(1).max(100),
    decision: z.enum(['approve', 'reject']),
    reason: z.string().max(1_000).optional(),
  }),
  output: z.object({
    decided: z.number(),
    failed: z.array(z.object({ reviewItemId: z.string(), message: z.string() })),
  }),
  async run(ctx, input) {
    const failed: { reviewItemId: string; message: string }[] = [];
    const ids = [...new Set(input.reviewItemIds)];
    for (const id of ids) {
      const message = await decideOne(ctx, id, input.decision, input.reason ?? '');
      if (message !== null) failed.push({ reviewItemId: id, message });
    }
    return { decided: ids.length - failed.length, failed };
  },
});

/** Each item in a transaction of its own. @returns why it failed, or null */
async function decideOne(
  ctx: ToolContext,
  id: string,
  decision: 'approve' | 'reject',
  reason: string,
): Promise<string | null> {
  try {
    await ctx.tx(async (tx) => {
      const row = await requireReview(tx, id, true);
      requirePending(row, ctx.clocks.product.now());
      if (decision === 'approve') await approve(ctx, tx, row);
      else await reject(ctx, tx, row, reason, 'skip_step');
    });
    return null;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    if (isDeadlock(error)) return 'The draft met another change again and again. Call svc_list_review_items.';
    throw error;
  }
}
