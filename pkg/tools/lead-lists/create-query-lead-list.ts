import { z } from 'zod';
import { MOST_LISTED, refreshList } from '../../store/lists/lead-lists.ts';
import { insertQueryList } from '../../store/lists/list-writes.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { boundedSearch } from '../bounded-search.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { requireCampaignOf } from './list-row.ts';
import { parsePredicate, predicateParam } from './predicate.ts';

/** A first materialisation may take this long, real ms: it reads everything that matches, not a page. */
export const MATERIALISE_TIMEOUT_MS = 12_000;

export const createQueryLeadList = tool({
  name: 'svc_create_query_lead_list',
  domain: 'Lead Lists',
  title: 'Create query list',
  description:
    'Creates a list from a stored search that re-materialises as matching leads appear. Next: svc_get_lead_list.',
  example: { input: { name: 'With an address', predicate: { hasEmail: true } } },
  scope: 'lead_lists:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    name: z.string().min(1).max(120),
    predicate: predicateParam,
    campaignId: z.string().min(1).optional(),
    maxLeads: z.int().min(1).max(MOST_LISTED).optional(),
  }),
  output: z.object({ leadListId: z.string(), name: z.string(), type: z.string(), leadCount: z.number() }),
  async run(ctx, input) {
    const leadListId = ctx.ids.uuid();
    const now = ctx.clocks.product.now();
    return ctx.create(ctx.workspaceId, async (tx) => {
      await requireCampaignOf(tx, input.campaignId, ctx.workspaceId);
      const { predicate, filter, widest } = await parsePredicate(tx, input.predicate, ctx.workspaceId);
      await insertQueryList(tx, {
        id: leadListId,
        workspaceId: ctx.workspaceId,
        campaignId: input.campaignId ?? null,
        name: input.name,
        predicate,
        filter,
        maxLeads: input.maxLeads ?? MOST_LISTED,
        now,
      });
      const count = await boundedSearch(
        tx,
        widest,
        (limited) => refreshList(limited, leadListId, now),
        MATERIALISE_TIMEOUT_MS,
      );
      if (input.campaignId !== undefined) await wakeIfWorking(tx, ctx.workspaceId, now, 'a query list was made');
      return { leadListId, name: input.name, type: 'query', leadCount: count ?? 0 };
    });
  },
});
