import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { stopRunsOfList } from '../../store/lists/lead-lists.ts';
import { removeMembers } from '../../store/lists/list-writes.ts';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { markScoresStale } from '../../store/scoring/scoring-jobs.ts';
import { actorOf } from '../actor-of.ts';
import { wrongState } from '../errors.ts';
import { tool } from '../tool.ts';
import { lockedList } from './list-row.ts';

export const removeLeadsFromList = tool({
  name: 'svc_remove_leads_from_list',
  domain: 'Lead Lists',
  title: 'Remove leads from list',
  description:
    'Removes leads from a static list; their running sequences stop only with stopRuns. Next: svc_get_lead_list.',
  example: { input: { leadListId: '$leadListId', leadIds: ['$otherLeadId'] } },
  scope: 'lead_lists:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    leadListId: z.string().min(1),
    leadIds: z.array(z.string()).min(1).max(100),
    stopRuns: z.boolean().default(false),
  }),
  output: z.object({
    leadListId: z.string(),
    removed: z.number(),
    stoppedRuns: z.number(),
    notFound: z.array(z.string()).describe('Ids that are not in the list.'),
  }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const list = await lockedList(tx, input.leadListId);
      if (list.type === 'query') throw wrongState('A query list has no manual members', 'svc_update_lead_list');
      const leadIds = await removeMembers(tx, list.id, input.leadIds.filter(isUuid));
      const notFound = [...new Set(input.leadIds)].filter((id) => !leadIds.includes(id));
      if (leadIds.length === 0) return { leadListId: list.id, removed: 0, stoppedRuns: 0, notFound };
      await markScoresStale(tx, list.workspace_id);
      const actor = actorOf(ctx);
      const stoppedRuns = input.stopRuns ? await stopRunsOfList(tx, list, { leadIds, actor, now }) : 0;
      if (stoppedRuns > 0) await wakeWorkspace(tx, list.workspace_id, now, 'runs: stop');
      return { leadListId: list.id, removed: leadIds.length, stoppedRuns, notFound };
    });
  },
});
