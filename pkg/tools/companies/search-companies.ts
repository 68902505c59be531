import { z } from 'zod';
import { findCompanies } from '../../store/companies/company-search.ts';
import { boundedSearch, widestFilter } from '../bounded-search.ts';
import { detailParams, shaper } from '../compact.ts';
import { criterionTexts } from '../criterion-texts.ts';
import { pageParams } from '../paging.ts';
import { dateTime } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { COMPANY_FORM, type CompanyRow, companyOf, listedCompany, liveSignals } from './company-row.ts';
import { contactStates, NO_CONTACT } from './contact-state.ts';

export const searchCompanies = tool({
  name: 'svc_search_companies',
  domain: 'Companies',
  title: 'Search companies',
  description: 'Searches companies by name, industry, size, funding or growth. Next: svc_get_company.',
  example: { input: { query: 'Acorn' } },
  scope: 'leads:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    query: z.string().max(300).optional(),
    industries: criterionTexts(100),
    companySizes: criterionTexts(20).describe('Range strings, e.g. "11-50", "1001-5000", "10001+".'),
    keywords: criterionTexts(100),
    locations: criterionTexts(50),
    minHeadcountGrowthPct: z.number().optional(),
    fundedSince: dateTime.optional(),
    ...detailParams,
    ...pageParams,
  }),
  output: z.object({ companies: z.array(listedCompany), nextCursor: z.string().nullable() }),
  async run(ctx, request) {
    const { workspaceId } = ctx;
    const { limit, cursor, detail, fields, ...criteria } = request;
    const shape = shaper(COMPANY_FORM, { detail, fields });
    const filters = { ...criteria, workspaceId };
    const position = ctx.cursors.decode('svc_search_companies', filters, cursor);
    const { keywords, locations, industries, query } = request;
    const widest = widestFilter({ keywords, locations, industries, query });
    return ctx.tx(async (tx) => {
      const before = (position?.[0] as string | undefined) ?? null;
      const found = await boundedSearch(tx, widest, (limited) =>
        findCompanies(limited, { workspaceId, criteria, before, limit }),
      );
      const rows = await tx.rows<CompanyRow>(
        `select c.*
         from unnest($1::uuid[]) with ordinality u (id, place)
         join company c on c.id = u.id
         order by u.place`,
        [found.companyIds],
      );
      const contacts = await contactStates(tx, workspaceId, found.companyIds);
      const now = ctx.clocks.product.now();
      const signals = await liveSignals(tx, { workspaceId, companyIds: found.companyIds, now });
      const companies = rows.map((row) => ({
        ...shape(companyOf(row, contacts.get(row.id) ?? NO_CONTACT, signals.get(row.id) ?? [])),
        companyId: row.id,
      }));
      const nextCursor =
        found.behind === null ? null : ctx.cursors.encode('svc_search_companies', filters, [found.behind]);
      return { companies, nextCursor };
    });
  },
});
