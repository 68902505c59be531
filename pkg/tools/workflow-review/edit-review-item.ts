import { z } from 'zod';
import { editDraft } from '../../store/reviews/decide-drafts.ts';
import { invalidInput } from '../errors.ts';
import { isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import {
  approve,
  flagsOf,
  requireFilled,
  requireLength,
  requirePending,
  requireVersion,
  subjectLine,
} from './decide.ts';
import { requireReview } from './review-row.ts';

export const editReviewItem = tool({
  name: 'svc_edit_review_item',
  domain: 'Workflow Review',
  title: 'Edit review item',
  description:
    "Replaces the draft text, and approves it unless approve is false; edits teach the workspace's crafting. Next: svc_list_review_items.",
  example: { input: { reviewItemId: '$draft2', body: 'Hello, a shorter text.' } },
  scope: 'workflows:write',
  decidesDrafts: true,
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'record',
  input: z.strictObject({
    reviewItemId: z.string().min(1),
    body: z.string().min(1).max(8_000),
    subject: z.string().max(200).optional(),
    approve: z.boolean().default(true),
    expectedVersion: z.int().min(1).optional(),
  }),
  output: z.object({
    reviewItemId: z.string(),
    state: z.string(),
    version: z.number(),
    sendAfter: z.string().nullable(),
  }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const row = await requireReview(tx, input.reviewItemId, true);
      requirePending(row, ctx.clocks.product.now());
      requireVersion(row, input.expectedVersion);
      if (input.body.trim() === '') throw invalidInput('body', 'must not be blank');
      const longest = await requireLength(tx, row, input.body, 'svc_get_review_item');
      requireFilled(row.channel, 'body', input.body);
      const subject = input.subject === undefined ? null : subjectLine(row.channel, input.subject);
      const version = row.version + 1;
      const riskFlags = flagsOf(row, input.body, longest, ctx.clocks.product.now());
      await editDraft(tx, row.id, { body: input.body, subject, version, riskFlags });
      const sendAfter = input.approve ? await approve(ctx, tx, { ...row, body: input.body, version }) : null;
      return {
        reviewItemId: row.id,
        state: input.approve ? 'approved' : 'pending',
        version,
        sendAfter: isoOrNull(sendAfter),
      };
    });
  },
});
