import { z } from 'zod';
import { normalSeniority } from '../../domain/seniority.ts';
import { type CompactForm, detailParams, telling } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { LEAD_FORM, listedLead, listedLeads, readLeads } from '../records/lead.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { companyContact, requireCompany } from './company-row.ts';
import { contactStates, NO_CONTACT } from './contact-state.ts';

/** The company is the same of all; what counts is who had to do with them. */
const COLLEAGUE_FORM: CompactForm = {
  ...LEAD_FORM,
  kept: ['fullName', 'title', 'seniority', 'email', 'contact'],
  short: { contact: telling },
};

export const listCompanyLeads = tool({
  name: 'svc_list_company_leads',
  domain: 'Companies',
  title: 'List leads at company',
  description:
    'Lists known people at a company with who was contacted, by which account, when; use to avoid two approaches to one company. Next: svc_add_leads_to_list.',
  example: { input: { companyId: '$companyId' } },
  scope: 'leads:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    companyId: z.string().min(1),
    workspaceId: workspaceParam,
    seniorities: z
      .array(z.string())
      .max(20)
      .optional()
      .describe('e.g. owner, c_suite, vp, director, manager, senior, entry.'),
    ...detailParams,
    ...pageParams,
  }),
  output: z.object({ leads: z.array(listedLead), companyContact, nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const { companyId, seniorities } = input;
    return ctx.tx(async (tx) => {
      await requireCompany(tx, workspaceId, companyId);
      const page = await pageOf(
        ctx,
        'svc_list_company_leads',
        input,
        { workspaceId, companyId, seniorities },
        (position, fetch) =>
          tx.rows<{ id: string }>(
            `select l.id
             from lead l
             where l.company_id = $1
               and l.erased_at is null
               and (l.workspace_id is null or l.workspace_id = $2)
               and ($3::text[] is null or l.seniority = any ($3))
               and ($4::uuid is null or l.id < $4)
             order by l.id desc limit $5`,
            [companyId, workspaceId, seniorities?.map(normalSeniority) ?? null, position?.[0] ?? null, fetch],
          ),
        (row) => [row.id],
      );
      const leadIds = page.rows.map((row) => row.id);
      const rows = await readLeads(tx, { workspaceId, leadIds, campaignId: null, now: ctx.clocks.product.now() });
      const contact = (await contactStates(tx, workspaceId, [companyId])).get(companyId) ?? NO_CONTACT;
      return { leads: listedLeads(rows, input, COLLEAGUE_FORM), companyContact: contact, nextCursor: page.nextCursor };
    });
  },
});
