import { sizeRange } from '../../domain/company-size.ts';
import { foldedQuery, foldings } from '../../domain/fold-text.ts';
import { normalSeniority } from '../../domain/seniority.ts';
import type { Tx } from '../../postgres/database.ts';

/** Criteria of a search for leads, as svc_search_leads and the predicate of a query list give them. */
export interface LeadCriteria {
  query?: string | undefined;
  titles?: readonly string[] | undefined;
  industries?: readonly string[] | undefined;
  seniorities?: readonly string[] | undefined;
  companySizes?: readonly string[] | undefined;
  keywords?: readonly string[] | undefined;
  locations?: readonly string[] | undefined;
  tags?: readonly string[] | undefined;
  companyId?: string | undefined;
  leadListId?: string | undefined;
  campaignId?: string | undefined;
  minScore?: number | undefined;
  hasEmail?: boolean | undefined;
  visibility?: 'all' | 'shared' | 'private' | undefined;
}

const LARGEST = 2_147_483_647;

/** The criteria as the functions of the database take them: patterns instead of texts, ranges instead of sizes. */
export function leadFilter(criteria: LeadCriteria): Record<string, unknown> {
  const filter: Record<string, unknown> = { visibility: criteria.visibility ?? 'all' };
  const put = (name: string, list: readonly string[] | undefined, shape = patterns): void => {
    if (list?.length) filter[name] = shape(list);
  };
  const words = wordsOf(criteria.query ?? '');
  if (words) filter['words'] = words;
  put('titles', criteria.titles);
  put('industries', criteria.industries);
  put('keywords', criteria.keywords);
  put('locations', criteria.locations);
  put('seniorities', criteria.seniorities, (list) => list.map(normalSeniority));
  put('sizes', criteria.companySizes, (list) => [...list]);
  put('tags', criteria.tags, (list) => [...list]);
  if (criteria.companySizes?.length) filter['ranges'] = rangesOf(criteria.companySizes);
  for (const name of ['hasEmail', 'companyId', 'leadListId'] as const) {
    if (criteria[name] !== undefined) filter[name] = criteria[name];
  }
  if (criteria.minScore !== undefined)
    Object.assign(filter, { minScore: criteria.minScore, campaignId: criteria.campaignId });
  return filter;
}

/** Text of a tsquery that wants every word, each as a beginning, with accents or without; '' without words. */
export function wordsOf(query: string): string {
  return foldedQuery(query);
}

/** LIKE patterns that find the texts anywhere, of blank ones none: they are everywhere; one with accents also as it is written without them: `München`, munchen, muenchen. */
export function patterns(list: readonly string[]): string[] {
  const written = list.flatMap((text) => {
    const own = text.normalize('NFC').trim();
    if (own === '') return [];
    const [short, long] = foldings(own);
    const others = short === own.toLowerCase() ? [] : [short, long].flatMap((form) => form ?? []);
    return [own, ...others];
  });
  return [...new Set(written)].map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`);
}

/** A head count of 120 is in the range "51-200"; a size that cannot be read matches only its own spelling. */
export function rangesOf(sizes: readonly string[]): [least: number, most: number][] {
  return sizes.flatMap((size) => {
    const range = sizeRange(size);
    return range ? [[Math.min(range.min, LARGEST), Math.min(range.max, LARGEST)] as [number, number]] : [];
  });
}

/** One page of a search. */
export interface FoundLeads {
  leadIds: string[];
  /** The next page starts behind this id; null at the end. */
  behind: string | null;
}

export interface LeadSearch {
  workspaceId: string;
  criteria: LeadCriteria;
  /** Ids of the page are smaller; null: the newest page. */
  before: string | null;
  limit: number;
  /** Leads that must not be contacted are left out, judged for `campaignId`. */
  withoutSuppressed: boolean;
  now: number;
}

/** Rounds in which suppressed leads of a page are replaced; a page may be short after them, never wrong. */
const ROUNDS = 8;

/** Finds a page of leads, newest first. */
export async function findLeads(tx: Tx, search: LeadSearch): Promise<FoundLeads> {
  const { workspaceId, criteria, limit, now } = search;
  const filter = JSON.stringify(leadFilter(criteria));
  const leadIds: string[] = [];
  let before = search.before;
  for (let round = 0; round < ROUNDS; round++) {
    const wanted = limit - leadIds.length;
    const found = await tx.row<{ ids: string[] }>('select app.find_leads($1, $2::jsonb, $3::uuid, $4) as ids', [
      workspaceId,
      filter,
      before,
      wanted + 1,
    ]);
    const ids = found?.ids ?? [];
    const page = ids.slice(0, wanted);
    before = page.at(-1) ?? before;
    leadIds.push(...(search.withoutSuppressed ? await contactable(tx, workspaceId, criteria, page, now) : page));
    if (ids.length <= wanted) return { leadIds, behind: null };
    if (leadIds.length >= limit) break;
  }
  return { leadIds, behind: before };
}

async function contactable(
  tx: Tx,
  workspaceId: string,
  criteria: LeadCriteria,
  ids: readonly string[],
  now: number,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const hits = await tx.rows<{ id: string }>(
    'select distinct lead_id as id from app.suppressed_leads($1, $2, $3::uuid[], $4)',
    [workspaceId, criteria.campaignId ?? null, ids, now],
  );
  const suppressed = new Set(hits.map((hit) => hit.id));
  return ids.filter((id) => !suppressed.has(id));
}
