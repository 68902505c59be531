import { z } from 'zod';
import { findLeads } from '../../store/leads/lead-search.ts';
import { boundedSearch } from '../bounded-search.ts';
import { detailParams } from '../compact.ts';
import { pageParams } from '../paging.ts';
import { listedLead, listedLeads, readLeads } from '../records/lead.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { requireCriteria, searchCriteria, widestOf } from './search-input.ts';

const { query, titles, industries, seniorities, companySizes, keywords, locations, tags, ...rest } = searchCriteria;

export const searchLeads = tool({
  name: 'svc_search_leads',
  domain: 'Leads',
  title: 'Search leads',
  description:
    "Searches the shared pool and the workspace's private leads by criteria; use to find leadIds. Next: svc_get_lead or svc_add_leads_to_list.",
  example: {
    input: { titles: ['CTO'], leadListId: '$leadListId' },
    after: ['svc_import_leads_csv'],
    keep: { leadId: 'leads.0.leadId', companyId: 'leads.0.companyId' },
  },
  scope: 'leads:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    ...{ query, titles, industries, seniorities, companySizes, keywords, locations, tags },
    companyId: z.string().min(1).optional(),
    leadListId: z.string().min(1).optional(),
    ...rest,
    visibility: z.enum(['all', 'shared', 'private']).default('all'),
    includeSuppressed: z.boolean().default(false),
    ...detailParams,
    ...pageParams,
  }),
  output: z.object({ leads: z.array(listedLead), nextCursor: z.string().nullable() }),
  async run(ctx, request) {
    const { workspaceId } = ctx;
    const now = ctx.clocks.product.now();
    const { limit, cursor, detail, fields, ...criteria } = request;
    const filters = { ...criteria, workspaceId };
    const position = ctx.cursors.decode('svc_search_leads', filters, cursor);
    return ctx.tx(async (tx) => {
      await requireCriteria(tx, request, { workspaceId });
      const search = {
        workspaceId,
        criteria,
        before: (position?.[0] as string | undefined) ?? null,
        limit,
        withoutSuppressed: !request.includeSuppressed,
        now,
      };
      const page = await boundedSearch(tx, widestOf(request), (limited) => findLeads(limited, search));
      const campaignId = request.campaignId ?? null;
      const rows = await readLeads(tx, { workspaceId, leadIds: page.leadIds, campaignId, now });
      const nextCursor = page.behind === null ? null : ctx.cursors.encode('svc_search_leads', filters, [page.behind]);
      return { leads: listedLeads(rows, { detail, fields }), nextCursor };
    });
  },
});
