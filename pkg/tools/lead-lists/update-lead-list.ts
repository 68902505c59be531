import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { refreshList } from '../../store/lists/lead-lists.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { markScoresStale } from '../../store/scoring/scoring-jobs.ts';
import { boundedSearch } from '../bounded-search.ts';
import { wrongState } from '../errors.ts';
import { tool } from '../tool.ts';
import { MATERIALISE_TIMEOUT_MS } from './create-query-lead-list.ts';
import { type ListRow, lockedList, requireCampaignOf } from './list-row.ts';
import { type Predicate, parsePredicate, predicateParam } from './predicate.ts';

const input = z.strictObject({
  leadListId: z.string().min(1),
  name: z.string().min(1).max(120).optional(),
  description: z.string().max(1_000).optional(),
  campaignId: z.string().optional().describe('Empty string detaches.'),
  predicate: predicateParam.optional(),
});
type Change = z.output<typeof input>;

export const updateLeadList = tool({
  name: 'svc_update_lead_list',
  domain: 'Lead Lists',
  title: 'Update lead list',
  description:
    "Renames a list, attaches it to a campaign or replaces a query list's predicate. Next: svc_get_lead_list.",
  example: { input: { leadListId: '$leadListId', description: 'From the fair' } },
  scope: 'lead_lists:write',
  category: 'write',
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
      await write(tx, list, change, predicate);
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

/** A new predicate is materialised whole: nothing of the old one is known to match. */
async function write(tx: Tx, list: ListRow, change: Change, predicate: Predicate | null): Promise<void> {
  await tx.exec(
    `update lead_list set name = coalesce($2, name), description = coalesce($3, description),
       campaign_id = case when $4::text is null then campaign_id else nullif($4, '') end,
       predicate = coalesce($5::jsonb, predicate), filter = coalesce($6::jsonb, filter),
       materialized_tx = case when $6::jsonb is null then materialized_tx end
     where id = $1`,
    [
      list.id,
      change.name ?? null,
      change.description ?? null,
      change.campaignId ?? null,
      predicate === null ? null : JSON.stringify(predicate.predicate),
      predicate === null ? null : JSON.stringify(predicate.filter),
    ],
  );
}
