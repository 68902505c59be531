import { z } from 'zod';
import { detailParams, shaper } from '../compact.ts';
import { notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { requireWorkflow } from '../workflows/workflow-row.ts';
import { workspaceParam } from '../workspace-param.ts';
import { DECIDED_FORM, listedReviewItem, REVIEW_FORM, type ReviewRow, reviewsOf } from './review-row.ts';

/** Items of one stored state in the order of their index. `$4` is the position's time, `$5` its id, `$6` how many, `$7` now. */
const part = (state: string, more = ''): string => `(
                select *
                from review_item
                where workspace_id = $1
                  and ($2::text is null or workflow_id = $2)
                  and ($3::text is null or campaign_id = $3)
                  and state = '${state}' ${more}
                  and ($4::bigint is null or (expires_at, id) > ($4, $5::uuid))
                  and $7::bigint is not null
                order by expires_at, id limit $6
              )`;

/** As items show their state: a draft whose time is over is expired, no matter who has closed it or not. */
const LISTS: Readonly<Record<string, string>> = {
  pending: part('pending', 'and expires_at > $7'),
  expired: `(
              select *
              from (${part('expired')} union all ${part('pending', 'and expires_at <= $7')}) x
              order by expires_at, id limit $6
            )`,
};

export const listReviewItems = tool({
  name: 'svc_list_review_items',
  domain: 'Workflow Review',
  title: 'List review items',
  description: 'Lists messages waiting for a human (oldest deadline first) with risk flags. Next: svc_get_review_item.',
  example: { input: { state: 'pending' } },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    workflowId: z.string().min(1).optional(),
    campaignId: z.string().min(1).optional(),
    state: z.enum(['pending', 'approved', 'rejected', 'expired', 'cancelled', 'sent']).default('pending'),
    ...detailParams,
    ...pageParams,
  }),
  output: z.object({
    reviewItems: z.array(listedReviewItem),
    pendingCount: z.number(),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const filters = {
      workspaceId: ctx.workspaceId,
      workflowId: input.workflowId,
      campaignId: input.campaignId,
      state: input.state,
    };
    const now = ctx.clocks.product.now();
    const shape = shaper(input.state === 'pending' ? REVIEW_FORM : DECIDED_FORM, input);
    const scope = [ctx.workspaceId, input.workflowId ?? null, input.campaignId ?? null];
    return ctx.tx(async (tx) => {
      if (input.workflowId !== undefined) await requireWorkflow(tx, input.workflowId);
      if (input.campaignId !== undefined) {
        const campaign = await tx.row('select 1 from campaign where id = $1 and deleted_at is null', [
          input.campaignId,
        ]);
        if (!campaign) throw notFound('campaign', input.campaignId);
      }
      const page = await pageOf(
        ctx,
        'svc_list_review_items',
        input,
        filters,
        (position, fetch) =>
          tx.rows<ReviewRow>(`select * from ${LISTS[input.state] ?? part(input.state)} l order by expires_at, id`, [
            ...scope,
            position?.[0] ?? null,
            position?.[1] ?? null,
            fetch,
            now,
          ]),
        (row) => [row.expires_at, row.id],
      );
      const pending = await tx.row<{ count: number }>(
        `select count(*)::int as count
         from review_item
         where workspace_id = $1
           and ($2::text is null or workflow_id = $2)
           and ($3::text is null or campaign_id = $3)
           and state = 'pending'
           and expires_at > $4`,
        [...scope, now],
      );
      const reviews = await reviewsOf(tx, page.rows, now);
      return {
        reviewItems: reviews.map((item) => ({ ...shape(item), reviewItemId: item.reviewItemId })),
        pendingCount: pending?.count ?? 0,
        nextCursor: page.nextCursor,
      };
    });
  },
});
