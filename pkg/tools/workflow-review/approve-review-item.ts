import { z } from 'zod';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { approve, requirePending, requireVersion } from './decide.ts';
import { requireReview } from './review-row.ts';

export const approveReviewItem = tool({
  name: 'svc_approve_review_item',
  domain: 'Workflow Review',
  title: 'Approve review item',
  description:
    'Approves one draft as it stands; it is sent at the next free budget slot inside business hours. Next: svc_list_review_items.',
  example: { input: { reviewItemId: '$draft1', expectedVersion: 1 } },
  scope: 'workflows:write',
  decidesDrafts: true,
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'record',
  input: z.strictObject({
    reviewItemId: z.string().min(1),
    expectedVersion: z.int().min(1).optional().describe('Refuse when the draft changed after it was read.'),
  }),
  output: z.object({ reviewItemId: z.string(), state: z.string(), sendAfter: z.string() }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const row = await requireReview(tx, input.reviewItemId, true);
      requirePending(row, ctx.clocks.product.now());
      requireVersion(row, input.expectedVersion);
      const sendAfter = await approve(ctx, tx, row);
      return { reviewItemId: row.id, state: 'approved', sendAfter: iso(sendAfter) };
    });
  },
});
