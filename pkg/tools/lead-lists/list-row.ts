import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { lockList } from '../../store/leads/imports.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import type { CompactForm } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record LeadList. */
export const leadList = z.object({
  leadListId: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  description: z.string(),
  type: z.enum(['static', 'query']),
  campaignId: z.string().nullable(),
  predicate: z.record(z.string(), z.unknown()).nullable(),
  leadCount: z.number(),
  lastMaterializedAt: z.string().nullable(),
  createdAt: z.string(),
});

/** A list among others: as much of it as the caller asked for. */
export const listedList = leadList.partial().required({ leadListId: true });

/** Which list it is, and how long; its predicate is in the single one. */
export const LIST_FORM: CompactForm = {
  id: 'leadListId',
  known: Object.keys(leadList.shape),
  kept: ['name', 'description', 'type', 'campaignId', 'leadCount', 'createdAt'],
};

/** A row of `lead_list`. */
export interface ListRow {
  id: string;
  workspace_id: string;
  campaign_id: string | null;
  /** As `campaign_id`, null when that campaign was deleted. */
  shown_campaign: string | null;
  name: string;
  description: string;
  type: 'static' | 'query';
  predicate: Record<string, unknown> | null;
  lead_count: number;
  max_leads: number;
  last_materialized_at: number | null;
  created_at: number;
}

/** The record of a row. */
export function listOf(row: ListRow): z.input<typeof leadList> {
  return {
    leadListId: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    description: row.description,
    type: row.type,
    campaignId: row.shown_campaign,
    predicate: row.predicate,
    leadCount: row.lead_count,
    lastMaterializedAt: isoOrNull(row.last_materialized_at),
    createdAt: iso(row.created_at),
  };
}

/** Rows of lists; a list whose campaign was deleted shows none, and still keeps its leads out of other campaigns. */
export const LISTS = `(select t.*, case when c.deleted_at is null then c.id end as shown_campaign
  from lead_list t left join campaign c on c.id = t.campaign_id where t.deleted_at is null)`;

/** As `requireList`, for who changes it: somebody else's change, also its deletion, comes before or after. */
export async function lockedList(tx: Tx, leadListId: string): Promise<ListRow> {
  if (!isUuid(leadListId) || !(await lockList(tx, leadListId))) throw notFound('leadList', leadListId);
  return requireList(tx, leadListId);
}

/** Reads a list under the caller's rights. @throws UserError not found */
export async function requireList(tx: Tx, leadListId: string): Promise<ListRow> {
  const row = isUuid(leadListId)
    ? await tx.row<ListRow>(`select * from ${LISTS} t where id = $1`, [leadListId])
    : undefined;
  if (!row) throw notFound('leadList', leadListId);
  return row;
}

/** Checks that a campaign is there and the list's workspace's. @throws UserError not found */
export async function requireCampaignOf(tx: Tx, campaignId: string | undefined, workspaceId: string): Promise<void> {
  if (campaignId === undefined) return;
  const campaign = await requireCampaign(tx, campaignId);
  if (campaign.workspace_id !== workspaceId) throw notFound('campaign', campaignId);
}
