import { z } from 'zod';
import { refreshList } from '../../store/lists/lead-lists.ts';
import { changeList } from '../../store/lists/list-writes.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { markScoresStale } from '../../store/scoring/scoring-jobs.ts';
import { boundedSearch } from '../bounded-search.ts';
import { wrongState } from '../errors.ts';
import { tool } from '../tool.ts';
import { MATERIALISE_TIMEOUT_MS } from './create-query-lead-list.ts';
import { lockedList, requireCampaignOf } from './list-row.ts';
import { parsePredicate, predicateParam } from './predicate.ts';

const input = z.strictObject({
  leadListId: z.string().min(1),
  name: z.string().min(1).max(120).optional(),
  description: z.string().max(1_000).optional(),
  campaignId: z.string().optional().describe('Empty string detaches.'),
  predicate: predicateParam.optional(),
});

export const updateLeadList = tool({
  name: 'svc_update_lead_list',
  domain: 'Lead Lists',
  title: 'Update lead list',
  description:
    "Renames a list, attaches it to a campaign or replaces a query list's predicate. Next: svc_get_lead_list.",
  example: { input: { leadListId: '$leadListId', description: 'From the fair' } },
  scope: 'lead_lists:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input,
  output: z.object({ leadListId: z.string(), leadCount: z.number() }),
  async run(ctx, change) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const list = await lockedList(tx, change.leadListId);
      if (change.predicate !== undefined && list.type === 'static') {
        throw wrongState('A static list has no predicate; its leads are added and removed', 'svc_add_leads_to_list');
      }
      await requireCampaignOf(tx, change.campaignId || undefined, list.workspace_id);
      const predicate =
        change.predicate === undefined ? null : await parsePredicate(tx, change.predicate, list.workspace_id);
      await changeList(tx, list.id, {
        name: change.name ?? null,
        description: change.description ?? null,
        campaignId: change.campaignId ?? null,
        query: predicate,
      });
      const count =
        list.type === 'query'
          ? await boundedSearch(
              tx,
              predicate?.widest ?? '"predicate"',
              (limited) => refreshList(limited, list.id, now),
              MATERIALISE_TIMEOUT_MS,
            )
          : list.lead_count;
      if (change.campaignId !== undefined && change.campaignId !== (list.campaign_id ?? '')) {
        // Who belongs to the campaign is judged by its lists.
        await markScoresStale(tx, list.workspace_id);
      }
      await wakeIfWorking(tx, list.workspace_id, now, 'a list changed');
      return { leadListId: list.id, leadCount: count ?? 0 };
    });
  },
});
