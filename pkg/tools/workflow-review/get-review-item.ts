import { z } from 'zod';
import { notFound } from '../errors.ts';
import { leadOf, leadRecord, requireLead } from '../records/lead.ts';
import { conversationWith, messageOf, messageRecord } from '../records/message.ts';
import { tool } from '../tool.ts';
import { requireReview, reviewItem, reviewsOf } from './review-row.ts';

/** Messages of the conversation so far that are shown. */
const MAX_MESSAGES = 100;

export const getReviewItem = tool({
  name: 'svc_get_review_item',
  domain: 'Workflow Review',
  title: 'Get review item',
  description:
    'Reads one draft with lead, conversation so far, facts used and their sources, playbook used. Next: svc_approve_review_item.',
  example: { input: { reviewItemId: '$draft1' } },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ reviewItemId: z.string().min(1) }),
  output: z.object({ reviewItem, lead: leadRecord, conversation: z.array(messageRecord) }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const row = await requireReview(tx, input.reviewItemId);
      const lead = await requireLead(tx, {
        workspaceId: row.workspace_id,
        leadId: row.lead_id,
        campaignId: row.campaign_id,
        now,
      });
      const run = await tx.row<{ person_id: string | null }>('select person_id from run where id = $1', [row.run_id]);
      const messages = await conversationWith(tx, run?.person_id ?? null, MAX_MESSAGES);
      const [item] = await reviewsOf(tx, [row], now);
      if (!item) throw notFound('reviewItem', row.id);
      return { reviewItem: item, lead: leadOf(lead), conversation: messages.map(messageOf) };
    });
  },
});
