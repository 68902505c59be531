import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { addMembers } from '../../store/leads/imports.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { markScoresStale } from '../../store/scoring/scoring-jobs.ts';
import { countSuppressed } from '../../store/suppression/count-suppressed.ts';
import { wrongState } from '../errors.ts';
import { foundIds } from '../found-ids.ts';
import { tool } from '../tool.ts';
import { lockedList } from './list-row.ts';

export const addLeadsToList = tool({
  name: 'svc_add_leads_to_list',
  domain: 'Lead Lists',
  title: 'Add leads to list',
  description:
    'Adds leads to a static list; members already there are counted, not duplicated. Next: svc_trigger_workflow.',
  example: { input: { leadListId: '$leadListId', leadIds: ['$otherLeadId'] } },
  scope: 'lead_lists:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ leadListId: z.string().min(1), leadIds: z.array(z.string()).min(1).max(100) }),
  output: z.object({
    leadListId: z.string(),
    added: z.number(),
    alreadyPresent: z.number(),
    suppressed: z.number(),
    notFound: z.array(z.string()).describe('Ids that are not there; the others were added.'),
  }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const list = await lockedList(tx, input.leadListId);
      const known = await tx.rows<{ id: string }>(
        `select id
         from lead
         where id = any ($1::uuid[])
           and erased_at is null
           and (workspace_id is null or workspace_id = $2)`,
        [input.leadIds.filter(isUuid), list.workspace_id],
      );
      const { found: ids, missing } = foundIds(
        'lead',
        input.leadIds,
        known.map((row) => row.id),
      );
      if (list.type === 'query') throw wrongState('A query list has no manual members', 'svc_update_lead_list');
      const among = { workspaceId: list.workspace_id, campaignId: list.campaign_id, leadIds: ids, now };
      const suppressed = await countSuppressed(tx, among);
      const added = await addMembers(tx, list.workspace_id, list.id, ids, now);
      if (added > 0 && list.campaign_id !== null) await markScoresStale(tx, list.workspace_id);
      await wakeIfWorking(tx, list.workspace_id, now, 'leads added to a list');
      return {
        leadListId: list.id,
        added,
        alreadyPresent: ids.length - added,
        suppressed,
        notFound: missing,
      };
    });
  },
});
