import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { invalidInput, notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { LEAD_COLUMNS, type LeadRow, leadOf, leadRecord } from '../records/lead.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

const texts = (max: number) => z.array(z.string()).max(max).optional();
const input = z.strictObject({
  workspaceId: workspaceParam,
  query: z.string().max(300).optional().describe('Free text over name, title, company.'),
  titles: texts(100).describe('Job titles; any match.'),
  industries: texts(100),
  seniorities: texts(20).describe('e.g. owner, c_suite, vp, director, manager, senior, entry.'),
  companySizes: texts(20).describe('Range strings, e.g. "11-50", "1001-5000", "10001+".'),
  keywords: texts(100),
  locations: texts(50),
  tags: texts(50).describe("This workspace's tags; all must match."),
  companyId: z.string().min(1).optional(),
  leadListId: z.string().min(1).optional(),
  campaignId: z.string().min(1).optional().describe('Adds scores for this campaign.'),
  minScore: z.number().min(0).max(200).optional().describe('Needs campaignId.'),
  hasEmail: z.boolean().optional(),
  visibility: z.enum(['all', 'shared', 'private']).default('all'),
  includeSuppressed: z.boolean().default(false),
  ...pageParams,
});
type Request = z.output<typeof input>;

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
  input,
  output: z.object({ leads: z.array(leadRecord), nextCursor: z.string().nullable() }),
  async run(ctx, request) {
    if (request.minScore !== undefined && request.campaignId === undefined)
      throw invalidInput('minScore', 'needs campaignId');
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
        (position, fetch) => {
          const { where, values } = conditions(ctx.workspaceId, request);
          const at = values.length;
          return tx.rows<LeadRow>(
            `select ${LEAD_COLUMNS} where ${where.join(' and ')}
               and ($${at + 1}::bigint is null or (l.created_at, l.id) < ($${at + 1}, $${at + 2}::uuid))
             order by l.created_at desc, l.id desc limit $${at + 3}`,
            [...values, position?.[0] ?? null, position?.[1] ?? null, fetch],
          );
        },
        (row) => [row.created_at, row.id],
      );
      return { leads: page.rows.map(leadOf), nextCursor: page.nextCursor };
    });
  },
});

/** Conditions and their values; `$1` is the workspace, `$2` the campaign. */
function conditions(workspaceId: string, request: Request): { where: string[]; values: unknown[] } {
  const values: unknown[] = [workspaceId, request.campaignId ?? null];
  const where = ['l.erased_at is null', '(l.workspace_id is null or l.workspace_id = $1)'];
  const add = (text: string, value: unknown): void => {
    values.push(value);
    where.push(text.replaceAll('?', `$${values.length}`));
  };
  const patterns = (list: readonly string[]): string[] => list.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`);
  if (request.visibility === 'shared') where.push('l.workspace_id is null');
  if (request.visibility === 'private') where.push('l.workspace_id is not null');
  if (request.query?.trim()) add(`l.search @@ websearch_to_tsquery('simple', ?)`, request.query);
  if (request.titles?.length) add('l.title ilike any (?)', patterns(request.titles));
  if (request.industries?.length) add('l.industry ilike any (?)', patterns(request.industries));
  if (request.seniorities?.length)
    add(
      'l.seniority = any (?)',
      request.seniorities.map((text) => text.toLowerCase()),
    );
  if (request.companySizes?.length) add('l.company_size = any (?)', request.companySizes);
  if (request.keywords?.length)
    add(`(l.headline || ' ' || l.title || ' ' || l.company) ilike any (?)`, patterns(request.keywords));
  if (request.locations?.length) add(`(l.location || ' ' || l.country) ilike any (?)`, patterns(request.locations));
  if (request.tags?.length) add('o.tags @> ?::text[]', request.tags);
  if (request.leadListId)
    add(
      'exists (select 1 from lead_list_member m where m.lead_id = l.id and m.lead_list_id = ?::uuid)',
      request.leadListId,
    );
  if (request.minScore !== undefined) {
    add(
      'exists (select 1 from lead_score s where s.lead_id = l.id and s.campaign_id = $2 and s.total >= ?)',
      request.minScore,
    );
  }
  if (request.hasEmail !== undefined) where.push(request.hasEmail ? 'l.email is not null' : 'l.email is null');
  if (!request.includeSuppressed) {
    where.push(
      `not exists (select 1 from suppression s where s.person_id = l.person_id and l.person_id is not null and s.applies_to = 'all_outreach')`,
    );
  }
  return { where, values };
}
