import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { invalidInput, notFound } from '../errors.ts';
import { pageOf } from '../paging.ts';
import { type LeadRow, leadColumns, leadOf, leadRecord, suppressionsOf } from '../records/lead.ts';
import { tool } from '../tool.ts';
import { type SearchRequest, searchConditions, searchInput } from './search-conditions.ts';

export const searchLeads = tool({
  name: 'svc_search_leads',
  domain: 'Leads',
  title: 'Search leads',
  description:
    "Searches the shared pool and the workspace's private leads by criteria; use to find leadIds. Next: svc_get_lead or svc_add_leads_to_list.",
  scope: 'leads:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: searchInput,
  output: z.object({ leads: z.array(leadRecord), nextCursor: z.string().nullable() }),
  async run(ctx, request) {
    if (request.minScore !== undefined && request.campaignId === undefined)
      throw invalidInput('minScore', 'needs campaignId');
    const now = ctx.clocks.product.now();
    const { limit: _limit, cursor: _cursor, ...filters } = { ...request, workspaceId: ctx.workspaceId };
    return ctx.tx(async (tx) => {
      if (request.companyId !== undefined) throw notFound('company', request.companyId);
      if (request.campaignId !== undefined) await requireCampaign(tx, request.campaignId);
      if (request.leadListId !== undefined) {
        const list = isUuid(request.leadListId)
          ? await tx.row('select 1 from lead_list where id = $1 and deleted_at is null', [request.leadListId])
          : undefined;
        if (!list) throw notFound('leadList', request.leadListId);
      }
      const page = await pageOf(
        ctx,
        'svc_search_leads',
        request,
        filters,
        (position, fetch) => findLeads(tx, ctx.workspaceId, request, { now, position, fetch }),
        (row) => [row.created_at, row.id],
      );
      return { leads: page.rows.map(leadOf), nextCursor: page.nextCursor };
    });
  },
});

interface Place {
  now: number;
  position: readonly (string | number | null)[] | null;
  fetch: number;
}

/** Sorts the ids first (`offset 0` keeps it so), then reads and judges rows until the page is full. */
function findLeads(
  tx: Tx,
  workspaceId: string,
  request: SearchRequest,
  { now, position, fetch }: Place,
): Promise<LeadRow[]> {
  const { where, values } = searchConditions(workspaceId, request);
  const at = values.length;
  const sorted = `(select l.id, l.created_at from lead l left join lead_overlay o on o.lead_id = l.id and o.workspace_id = $1
     where ${where.join(' and ')} and ($${at + 1}::bigint is null or (l.created_at, l.id) < ($${at + 1}, $${at + 2}::uuid))
     order by l.created_at desc, l.id desc offset 0) p join lead l on l.id = p.id`;
  const allowed = request.includeSuppressed ? 'true' : `not exists (select 1 from ${suppressionsOf(now)})`;
  return tx.rows<LeadRow>(
    `select ${leadColumns(now, sorted)} where ${allowed} order by p.created_at desc, p.id desc limit $${at + 3}`,
    [...values, position?.[0] ?? null, position?.[1] ?? null, fetch],
  );
}
