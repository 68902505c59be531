import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import type { LeadCriteria } from '../../store/leads/lead-search.ts';
import { widestFilter } from '../bounded-search.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { criterionTexts } from '../criterion-texts.ts';
import { invalidInput, notFound } from '../errors.ts';

/** Criteria that svc_search_leads and the predicate of a query list share. */
export const searchCriteria = {
  query: z.string().max(300).optional().describe('Free text over name, title, company.'),
  titles: criterionTexts(100).describe('Job titles; any match.'),
  industries: criterionTexts(100),
  seniorities: criterionTexts(20).describe('e.g. owner, c_suite, vp, director, manager, senior, entry.'),
  companySizes: criterionTexts(20).describe('Range strings, e.g. "11-50", "1001-5000", "10001+".'),
  keywords: criterionTexts(100),
  locations: criterionTexts(50),
  tags: criterionTexts(50).describe("This workspace's tags; all must match."),
  campaignId: z.string().min(1).optional().describe('Adds scores for this campaign.'),
  minScore: z.number().min(0).max(200).optional().describe('Needs campaignId.'),
  hasEmail: z.boolean().optional(),
};

/** Checks the records that the criteria name. @throws UserError with the path under `prefix` */
export async function requireCriteria(
  tx: Tx,
  criteria: LeadCriteria,
  { workspaceId, prefix = '' }: { workspaceId: string; prefix?: string },
): Promise<void> {
  if (criteria.minScore !== undefined && criteria.campaignId === undefined) {
    throw invalidInput(`${prefix}minScore`, 'needs campaignId');
  }
  if (criteria.campaignId !== undefined) {
    const campaign = await requireCampaign(tx, criteria.campaignId);
    if (campaign.workspace_id !== workspaceId) throw notFound('campaign', criteria.campaignId);
  }
  await requireOwn(tx, 'leadList', 'lead_list', criteria.leadListId, workspaceId);
  await requireOwn(tx, 'company', 'company', criteria.companyId, workspaceId);
}

async function requireOwn(
  tx: Tx,
  type: 'leadList' | 'company',
  table: string,
  id: string | undefined,
  workspaceId: string,
): Promise<void> {
  if (id === undefined) return;
  const live =
    type === 'leadList' ? 'workspace_id = $2 and deleted_at is null' : '(workspace_id is null or workspace_id = $2)';
  const found = isUuid(id)
    ? await tx.row(`select 1 from ${table} where id = $1 and ${live}`, [id, workspaceId])
    : undefined;
  if (!found) throw notFound(type, id);
}

/** Name of the criterion to narrow when a search takes too long. */
export function widestOf(criteria: LeadCriteria): string {
  const { keywords, titles, locations, industries, query } = criteria;
  return widestFilter({ keywords, titles, locations, industries, query });
}
