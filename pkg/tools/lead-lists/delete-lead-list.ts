import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { workflowsFedBy } from '../../store/lists/lead-lists.ts';
import { deleteList } from '../../store/lists/list-writes.ts';
import { markScoresStale } from '../../store/scoring/scoring-jobs.ts';
import { tool } from '../tool.ts';
import { lockedList } from './list-row.ts';

export const deleteLeadList = tool({
  name: 'svc_delete_lead_list',
  domain: 'Lead Lists',
  title: 'Delete lead list',
  description: 'Deletes a list, never its leads. Next: svc_list_lead_lists.',
  example: { input: { leadListId: '$leadListId' } },
  scope: 'lead_lists:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ leadListId: z.string().min(1) }),
  output: z.object({ leadListId: z.string(), deleted: z.boolean() }),
  async run(ctx, input) {
    await ctx.tx(async (tx) => {
      const list = await lockedList(tx, input.leadListId);
      const [fed] = await workflowsFedBy(tx, list);
      if (fed) {
        throw new UserError(
          `The enabled workflow "${fed.name}" (${fed.id}) takes its leads from this list. Disable it first with svc_update_workflow_status.`,
          'WrongState',
        );
      }
      await deleteList(tx, list.id, ctx.clocks.product.now());
      await markScoresStale(tx, list.workspace_id);
    });
    return { leadListId: input.leadListId, deleted: true };
  },
});
