import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import type { CompactForm } from '../compact.ts';
import { notFound } from '../errors.ts';
import { icpName } from '../records/lead.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record Icp. */
export const icpRecord = z.object({
  icpId: z.string(),
  name: z.string().describe('Its first criteria.'),
  campaignId: z.string(),
  titles: z.array(z.string()),
  industries: z.array(z.string()),
  seniorities: z.array(z.string()),
  companySizes: z.array(z.string()),
  keywords: z.array(z.string()),
  scoresStale: z.boolean(),
  scoredAt: z.string().nullable(),
  createdAt: z.string(),
});

/** An ICP of a list: as much of it as the caller asked for. */
export const listedIcp = icpRecord.partial().required({ icpId: true });

/** What it looks for, in short. */
export const ICP_FORM: CompactForm = {
  id: 'icpId',
  known: Object.keys(icpRecord.shape),
  kept: ['campaignId', 'titles', 'industries', 'seniorities', 'companySizes', 'scoresStale', 'scoredAt'],
};

/** A row of `icp`. */
export interface IcpRow {
  id: string;
  workspace_id: string;
  campaign_id: string;
  titles: string[];
  industries: string[];
  seniorities: string[];
  company_sizes: string[];
  keywords: string[];
  scores_stale: boolean;
  scored_at: number | null;
  created_at: number;
}

/**
 * Columns of `icp` i: scores are stale while anything changed since they were computed, and while a pass runs.
 */
export const ICP_COLUMNS = `i.id, i.workspace_id, i.campaign_id, i.titles, i.industries, i.seniorities, i.company_sizes, i.keywords,
  i.scores_stale or i.scored_at is null or exists (select 1 from scoring_job j where j.icp_id = i.id and j.status in ('queued', 'running')) as scores_stale,
  i.scored_at, i.created_at`;

/** The record of a row. */
export function icpOf(row: IcpRow): z.input<typeof icpRecord> {
  return {
    icpId: row.id,
    name: icpName(criteriaOf(row)),
    campaignId: row.campaign_id,
    titles: row.titles,
    industries: row.industries,
    seniorities: row.seniorities,
    companySizes: row.company_sizes,
    keywords: row.keywords,
    scoresStale: row.scores_stale,
    scoredAt: isoOrNull(row.scored_at),
    createdAt: iso(row.created_at),
  };
}

/** What names an ICP. */
export function criteriaOf(row: IcpRow): string[] {
  return [...row.titles, ...row.industries, ...row.keywords];
}

/** Reads an ICP under the caller's rights. @throws UserError not found */
export async function requireIcp(tx: Tx, icpId: string): Promise<IcpRow> {
  const row = isUuid(icpId)
    ? await tx.row<IcpRow>(`select ${ICP_COLUMNS} from icp i where i.id = $1 and i.deleted_at is null`, [icpId])
    : undefined;
  if (!row) throw notFound('icp', icpId);
  return row;
}
