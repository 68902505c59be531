import { z } from 'zod';
import { sizeRange } from '../../domain/company-size.ts';
import { normalSeniority } from '../../domain/seniority.ts';
import { pageParams } from '../paging.ts';
import { workspaceParam } from '../workspace-param.ts';

const texts = (max: number) => z.array(z.string()).max(max).optional();
/** Parameters of svc_search_leads. */
export const searchInput = z.strictObject({
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
export type SearchRequest = z.output<typeof searchInput>;

type Add = (text: string, ...values: unknown[]) => void;

/**
 * Conditions on lead `l` with overlay `o`, and their values; `$1` is the workspace, `$2` the campaign. Suppression is
 * not among them: it costs more than all others, so it is asked of the rows of a page only.
 */
export function searchConditions(workspaceId: string, request: SearchRequest): { where: string[]; values: unknown[] } {
  const values: unknown[] = [workspaceId, request.campaignId ?? null];
  const where = ['l.erased_at is null', '(l.workspace_id is null or l.workspace_id = $1)'];
  const add: Add = (text, ...given) => {
    const first = values.length;
    values.push(...given);
    let used = 0;
    where.push(text.replace(/\?/g, () => `$${first + ++used}`));
  };
  if (request.visibility === 'shared') where.push('l.workspace_id is null');
  if (request.visibility === 'private') where.push('l.workspace_id is not null');
  addCriteria(request, add);
  addBelonging(request, add);
  if (request.hasEmail !== undefined) where.push(request.hasEmail ? 'l.email is not null' : 'l.email is null');
  return { where, values };
}

function addCriteria(request: SearchRequest, add: Add): void {
  const words = (request.query ?? '').match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length > 0) add(`l.search @@ to_tsquery('simple', ?)`, words.map((word) => `${word}:*`).join(' & '));
  if (request.titles?.length) add('l.title ilike any (?)', patterns(request.titles));
  if (request.industries?.length) add('l.industry ilike any (?)', patterns(request.industries));
  if (request.seniorities?.length) add('l.seniority = any (?)', request.seniorities.map(normalSeniority));
  if (request.companySizes?.length) addSizes(request.companySizes, add);
  if (request.keywords?.length) {
    add(`(l.headline || ' ' || l.title || ' ' || l.company) ilike any (?)`, patterns(request.keywords));
  }
  if (request.locations?.length) add(`(l.location || ' ' || l.country) ilike any (?)`, patterns(request.locations));
}

function addBelonging(request: SearchRequest, add: Add): void {
  if (request.tags?.length) add('o.tags @> ?::text[]', request.tags);
  if (request.leadListId) {
    const member = 'm.lead_id = l.id and m.lead_list_id = ?::uuid';
    add(`exists (select 1 from lead_list_member m where ${member})`, request.leadListId);
  }
  if (request.minScore !== undefined) {
    const score = 's.lead_id = l.id and s.campaign_id = $2 and s.total >= ?::real';
    add(`exists (select 1 from lead_score s where ${score})`, request.minScore);
  }
}

/** Numbers of the stored size without separators: `1,001 - 5,000` gives 1001 and 5000. */
const DIGITS = `regexp_replace(l.company_size, '[^0-9+>–-]', '', 'g')`;
const LEAST = `substring(${DIGITS} from '^>{0,1}([0-9]{1,9})')::int`;
const MOST = `case when ${DIGITS} ~ '^>|[+]$' then 2147483647 else substring(${DIGITS} from '([0-9]{1,9})$')::int end`;

/** A head count of 120 is in the range "51-200"; a size that cannot be read matches only its own spelling. */
function addSizes(sizes: readonly string[], add: Add): void {
  const ranges = sizes.flatMap((size) => sizeRange(size) ?? []);
  add(
    `(l.company_size = any (?) or exists (select 1 from unnest(?::int[], ?::int[]) r (least, most) where ${LEAST} <= r.most and ${MOST} >= r.least))`,
    sizes,
    ranges.map((range) => Math.min(range.min, 2_147_483_647)),
    ranges.map((range) => Math.min(range.max, 2_147_483_647)),
  );
}

/** LIKE patterns that find the texts anywhere. */
function patterns(list: readonly string[]): string[] {
  return list.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`);
}
