import { z } from 'zod';
import { tool } from '../tool.ts';
import { reject, requirePending, requireVersion } from './decide.ts';
import { requireReview } from './review-row.ts';

export const rejectReviewItem = tool({
  name: 'svc_reject_review_item',
  domain: 'Workflow Review',
  title: 'Reject review item',
  description:
    'Rejects one draft with a reason; the lead skips the step, is re-crafted or leaves the sequence. Next: svc_list_review_items.',
  example: { input: { reviewItemId: '$draft3', reason: 'Too pushy' } },
  scope: 'workflows:write',
  decidesDrafts: true,
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    reviewItemId: z.string().min(1),
    reason: z.string().min(1).max(1_000),
    // biome-ignore lint/suspicious/noThenProperty: the contract names this parameter
    then: z.enum(['skip_step', 'recraft', 'stop_lead']).default('skip_step'),
    expectedVersion: z.int().min(1).optional().describe('Refuse when the draft changed after it was read.'),
  }),
  output: z.object({ reviewItemId: z.string(), state: z.string() }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const row = await requireReview(tx, input.reviewItemId, true);
      requirePending(row, ctx.clocks.product.now());
      requireVersion(row, input.expectedVersion);
      await reject(ctx, tx, row, input.reason, input.then);
      return { reviewItemId: row.id, state: 'rejected' };
    });
  },
});
