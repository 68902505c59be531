import { z } from 'zod';
import { businessHours } from '../../api/fields.ts';
import { DEFAULT_REVIEW_MODE, SCORE_MIN } from '../../domain/campaign-defaults.ts';
import { REVIEW_EXPIRES_AFTER_HOURS } from '../../domain/review-expiry.ts';
import type { signalRulesOf } from '../../domain/signal-score.ts';
import { CAMPAIGN_STATES } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { notFound } from '../errors.ts';
import { reconcileOf, reconcileStatus } from '../records/reconcile.ts';
import { iso } from '../times.ts';

/** Catalog record CampaignSettings. */
export const campaignSettings = z.object({
  playbookOverride: z.string().nullable(),
  scoreMin: z.number(),
  signalWeights: z.record(z.string(), z.number()),
  businessHours: businessHours.nullable(),
  contactPolicy: z.record(z.string(), z.unknown()),
  reviewMode: z.string(),
  reviewExpiresAfterHours: z.number(),
  creditBudget: z.number(),
});
export type SettingsRecord = z.input<typeof campaignSettings>;

/** Catalog record CampaignSummary. */
export const campaignSummary = z.object({
  campaignId: z.string(),
  workspaceId: z.string(),
  title: z.string(),
  goal: z.string(),
  status: z.enum(CAMPAIGN_STATES),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** Catalog record Campaign. */
export const campaignRecord = campaignSummary.extend({
  description: z.string(),
  settings: campaignSettings,
  counts: z.object({
    leadLists: z.number(),
    workflows: z.number(),
    icps: z.number(),
    personas: z.number(),
    phases: z.number(),
    leadsInPool: z.number(),
  }),
  reconcile: reconcileStatus,
});

/** A row of `campaign`. */
export interface CampaignRow {
  id: string;
  workspace_id: string;
  title: string;
  goal: string;
  description: string;
  state: (typeof CAMPAIGN_STATES)[number];
  settings: Partial<SettingsRecord> & Parameters<typeof signalRulesOf>[0];
  reconcile: Record<string, never>;
  created_at: number;
  updated_at: number;
}

/** Reads a campaign under the caller's rights. @throws UserError not found, also for a foreign one */
export async function requireCampaign(tx: Tx, campaignId: string): Promise<CampaignRow> {
  const row = await tx.row<CampaignRow>('select * from campaign where id = $1 and deleted_at is null', [campaignId]);
  if (!row) throw notFound('campaign', campaignId);
  return row;
}

/** The settings in force: what the projection stored, with the platform's defaults for what it did not. */
export function settingsOf(row: CampaignRow): SettingsRecord {
  const { settings } = row;
  return {
    playbookOverride: settings.playbookOverride ?? null,
    scoreMin: settings.scoreMin ?? SCORE_MIN,
    signalWeights: settings.signalWeights ?? {},
    businessHours: settings.businessHours ?? null,
    contactPolicy: settings.contactPolicy ?? {},
    reviewMode: settings.reviewMode ?? DEFAULT_REVIEW_MODE,
    reviewExpiresAfterHours: settings.reviewExpiresAfterHours ?? REVIEW_EXPIRES_AFTER_HOURS,
    creditBudget: settings.creditBudget ?? 0,
  };
}

/** The summary of a row. */
export function summaryOf(row: CampaignRow): z.input<typeof campaignSummary> {
  return {
    campaignId: row.id,
    workspaceId: row.workspace_id,
    title: row.title,
    goal: row.goal,
    status: row.state,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

type Counts = z.input<typeof campaignRecord>['counts'];

/** The whole record, read in one statement; counts are kept, not counted. @throws UserError not found, also for a foreign one */
export async function readCampaign(tx: Tx, campaignId: string): Promise<z.input<typeof campaignRecord>> {
  const row = await tx.row<CampaignRow & Counts>(
    `select
       id,
       workspace_id,
       title,
       goal,
       description,
       state,
       settings,
       reconcile,
       created_at,
       updated_at,
       lead_lists as "leadLists",
       workflows,
       icps,
       personas,
       phases,
       case
         when icps > 0 then coalesce((select p.leads from campaign_pool p where p.campaign_id = campaign.id), 0)
         else 0
       end as "leadsInPool"
     from campaign
     where id = $1 and deleted_at is null`,
    [campaignId],
  );
  if (!row) throw notFound('campaign', campaignId);
  const { leadLists, workflows, icps, personas, phases, leadsInPool } = row;
  return {
    ...summaryOf(row),
    description: row.description,
    settings: settingsOf(row),
    counts: { leadLists, workflows, icps, personas, phases, leadsInPool },
    reconcile: reconcileOf(row.reconcile, row.updated_at),
  };
}
