import type { Tx } from '../../postgres/database.ts';
import { patterns, rangesOf, wordsOf } from '../leads/lead-search.ts';

/** Criteria of svc_search_companies. */
export interface CompanyCriteria {
  query?: string | undefined;
  industries?: readonly string[] | undefined;
  companySizes?: readonly string[] | undefined;
  keywords?: readonly string[] | undefined;
  locations?: readonly string[] | undefined;
  /** Percent. */
  minHeadcountGrowthPct?: number | undefined;
  /** ISO 8601. */
  fundedSince?: string | undefined;
}

/** A page of companies, newest known first: the shared ones and the workspace's own. */
export async function findCompanies(
  tx: Tx,
  search: { workspaceId: string; criteria: CompanyCriteria; before: string | null; limit: number },
): Promise<{ companyIds: string[]; behind: string | null }> {
  const { workspaceId, criteria, before, limit } = search;
  const row = await tx.row<{ ids: string[] }>('select app.find_companies($1, $2::jsonb, $3::uuid, $4) as ids', [
    workspaceId,
    JSON.stringify(companyFilter(criteria)),
    before,
    limit + 1,
  ]);
  const ids = row?.ids ?? [];
  const companyIds = ids.slice(0, limit);
  return { companyIds, behind: ids.length > limit ? (companyIds.at(-1) ?? null) : null };
}

/** The criteria as the functions of the database take them. */
export function companyFilter(criteria: CompanyCriteria): Record<string, unknown> {
  const filter: Record<string, unknown> = {};
  const words = wordsOf(criteria.query ?? '');
  if (words) filter['words'] = words;
  for (const name of ['industries', 'keywords', 'locations'] as const) {
    if (criteria[name]?.length) filter[name] = patterns(criteria[name]);
  }
  if (criteria.companySizes?.length) {
    Object.assign(filter, { sizes: criteria.companySizes, ranges: rangesOf(criteria.companySizes) });
  }
  if (criteria.minHeadcountGrowthPct !== undefined) filter['minGrowth'] = criteria.minHeadcountGrowthPct;
  if (criteria.fundedSince !== undefined) filter['fundedSince'] = Date.parse(criteria.fundedSince);
  return filter;
}
