import { z } from 'zod';
import { searchUrl } from '../../domain/search-url.ts';
import { criterionTexts } from '../criterion-texts.ts';
import { invalidInput } from '../errors.ts';
import { requireIcp } from '../icps/icp-row.ts';
import { tool } from '../tool.ts';

export const buildSearchUrl = tool({
  name: 'svc_build_search_url',
  domain: 'Leads',
  title: 'Build search URL',
  description:
    'Builds a people-search URL of the professional network from criteria or an ICP; no call leaves the service. Next: open it, then svc_import_leads_csv or svc_upsert_lead.',
  example: { input: { titles: ['CTO'], locations: ['Berlin'], searchType: 'people' } },
  scope: 'leads:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    icpId: z.string().min(1).optional().describe('Start from this ICP; explicit lists override it.'),
    titles: criterionTexts(100).describe('Job titles; any match.'),
    industries: criterionTexts(100),
    seniorities: criterionTexts(20).describe('e.g. owner, c_suite, vp, director, manager, senior, entry.'),
    companySizes: criterionTexts(20).describe('Range strings, e.g. "11-50", "1001-5000", "10001+".'),
    keywords: criterionTexts(100),
    locations: criterionTexts(50),
    searchType: z.enum(['people', 'sales_people', 'companies']).default('people'),
  }),
  output: z.object({ url: z.string(), ignoredCriteria: z.array(z.string()) }),
  async run(ctx, input) {
    const { icpId } = input;
    const icp = icpId === undefined ? undefined : await ctx.tx((tx) => requireIcp(tx, icpId));
    const criteria = {
      titles: input.titles ?? icp?.titles ?? [],
      industries: input.industries ?? icp?.industries ?? [],
      seniorities: input.seniorities ?? icp?.seniorities ?? [],
      companySizes: input.companySizes ?? icp?.company_sizes ?? [],
      keywords: input.keywords ?? icp?.keywords ?? [],
      locations: input.locations ?? [],
    };
    if (Object.values(criteria).every((list) => list.length === 0)) {
      throw invalidInput('titles', 'give at least one criterion, or an icpId that has some');
    }
    const { url, ignored } = searchUrl(input.searchType, criteria);
    return { url, ignoredCriteria: ignored };
  },
});
