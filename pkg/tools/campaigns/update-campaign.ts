import { z } from 'zod';
import { CAMPAIGN_MOVES } from '../../api/campaign-moves.ts';
import type { CampaignSpec } from '../../api/specs.ts';
import { UserError } from '../../base/errors.ts';
import { canonicalJson } from '../../base/json.ts';
import { DEFAULT_BUSINESS_HOURS } from '../../domain/business-hours.ts';
import { CONTACT_POLICY } from '../../domain/contact-policy.ts';
import { DEFAULT_SIGNAL_WEIGHTS, type SignalType } from '../../domain/signal-score.ts';
import { CAMPAIGN_STATES, DEDUPE_SCOPES, REVIEW_MODES } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { holdByTool, releaseHold } from '../../store/resources/holds.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { rescoreCampaign } from '../../store/scoring/scoring-jobs.ts';
import { actorOf } from '../actor-of.ts';
import { documentedDefault } from '../documented-default.ts';
import { wrongState } from '../errors.ts';
import { hoursInput } from '../hours-input.ts';
import { requireHours } from '../require-hours.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { type CampaignRow, campaignSettings, requireCampaign, settingsOf } from './campaign-row.ts';

const weight = (type: SignalType) => documentedDefault(z.number().min(0).max(100), DEFAULT_SIGNAL_WEIGHTS[type].points);
const input = z.strictObject({
  campaignId: z.string().min(1),
  title: z.string().min(1).max(200).optional(),
  goal: z.string().max(2_000).optional(),
  description: z.string().max(5_000).optional(),
  status: z.enum(CAMPAIGN_STATES).optional().describe('See stateMachines.campaign for the allowed moves.'),
  playbookOverride: z
    .string()
    .max(20_000)
    .optional()
    .describe('Appended to the workspace playbook; empty string clears it.'),
  scoreMin: z
    .number()
    .min(0)
    .max(200)
    .optional()
    .describe('Total score a lead needs to enter workflows through source:campaign_pool; platform default 50.'),
  signalWeights: z
    .strictObject({
      job_change: weight('job_change'),
      new_post: weight('new_post'),
      funding_round: weight('funding_round'),
      headcount_growth: weight('headcount_growth'),
    })
    .optional()
    .describe('Points added per live signal type.'),
  businessHours: hoursInput,
  contactPolicy: z
    .strictObject({
      dedupeScope: documentedDefault(z.enum(DEDUPE_SCOPES), CONTACT_POLICY.dedupeScope),
      minDaysBetweenTouches: documentedDefault(z.int().min(0).max(365), CONTACT_POLICY.minDaysBetweenTouches),
      maxLeadsPerCompanyPerDay: documentedDefault(z.int().min(0).max(1000), CONTACT_POLICY.maxLeadsPerCompanyPerDay),
      stopOnReply: documentedDefault(z.boolean(), CONTACT_POLICY.stopOnReply),
      stopCompanyOnReply: documentedDefault(z.boolean(), CONTACT_POLICY.stopCompanyOnReply),
      recontactAfterDays: documentedDefault(z.int().min(0).max(3650), CONTACT_POLICY.recontactAfterDays),
    })
    .optional()
    .describe('Who may be contacted.'),
  reviewMode: z.enum(REVIEW_MODES).optional().describe('Human review gate in front of network sends; default off.'),
  reviewExpiresAfterHours: z
    .int()
    .min(0)
    .max(8_760)
    .optional()
    .describe(
      'Hours after which a draft that nobody decided stops its lead, for drafts made from now on; 0 = never; default 72.',
    ),
  creditBudget: z.int().min(0).optional().describe('Credits this campaign may spend in total; 0 = no cap.'),
});
type Change = z.output<typeof input>;

export const updateCampaign = tool({
  name: 'svc_update_campaign',
  domain: 'Campaigns',
  title: 'Update campaign and settings',
  description:
    'Changes title, state or settings (playbook override, scoreMin, signal weights, hours, contact policy, review mode); PATCH, only given fields change. Next: svc_get_campaign.',
  example: { input: { campaignId: '$campaignId', scoreMin: 40, reviewMode: 'first_touch' } },
  scope: 'campaigns:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input,
  output: z.object({
    campaignId: z.string(),
    title: z.string(),
    status: z.string(),
    settings: campaignSettings,
    updatedAt: z.string(),
  }),
  async run(ctx, change) {
    const { row, hours } = await ctx.tx(async (tx) => {
      const found = await requireCampaign(tx, change.campaignId);
      return { row: found, hours: await hoursOfWorkspace(tx, found.workspace_id) };
    });
    requireMove(row, change.status);
    requireHours(change);
    const held = change.status !== undefined && change.status !== 'active' && (await holdAtOnce(ctx, row));
    return orSayHeld(
      held,
      ctx.resources.update({
        kind: 'Campaign',
        workspaceId: row.workspace_id,
        id: row.id,
        change: (spec) => changed(spec, change, hours),
        finish: async (tx) => {
          if (change.status === 'active') await releaseHold(tx, 'campaign', row.id);
          await wakeIfWorking(tx, row.workspace_id, ctx.clocks.product.now(), 'campaign changed');
          const after = await requireCampaign(tx, row.id);
          if (canonicalJson(after.settings.signalWeights ?? {}) !== canonicalJson(row.settings.signalWeights ?? {}))
            await rescoreCampaign(tx, row.id, () => ctx.ids.uuid(), ctx.clocks.product.now());
          return {
            campaignId: after.id,
            title: after.title,
            status: after.state,
            settings: settingsOf(after),
            updatedAt: iso(after.updated_at),
          };
        },
      }),
    );
  },
});

function requireMove(row: CampaignRow, status: string | undefined): void {
  if (status === undefined || status === row.state || CAMPAIGN_MOVES[row.state]?.includes(status)) return;
  throw wrongState(`A campaign can't go from ${row.state} to ${status}`, 'svc_get_campaign');
}

/** Pausing stops at once, also while a GitOps manager owns the resource. */
async function holdAtOnce(ctx: ToolContext, row: CampaignRow): Promise<boolean> {
  if (row.state !== 'active') return false;
  const by = actorOf(ctx);
  const hold = {
    workspaceId: row.workspace_id,
    kind: 'campaign',
    id: row.id,
    by,
    now: ctx.clocks.product.now(),
  } as const;
  await ctx.tx((tx) => holdByTool(tx, hold));
  return true;
}

/** A stop that the resource refused is in force all the same; the caller must know. */
async function orSayHeld<T>(held: boolean, written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (!held || !(error instanceof UserError)) throw error;
    throw new UserError(`${error.message} Sending is stopped meanwhile by a hold.`, error.reason);
  }
}

type Hours = NonNullable<CampaignSpec['businessHours']>;

/** The hours that are in force for a campaign without hours of its own. */
async function hoursOfWorkspace(tx: Tx, workspaceId: string): Promise<Hours> {
  const row = await tx.row<{ hours: Partial<Hours> | null }>(
    'select business_hours as hours from workspace where id = $1',
    [workspaceId],
  );
  return { ...DEFAULT_BUSINESS_HOURS, days: [...DEFAULT_BUSINESS_HOURS.days], ...row?.hours };
}

/** Only what was given changes; nested settings merge field by field, hours into those in force. */
function changed(spec: CampaignSpec, change: Change, hours: Hours): CampaignSpec {
  const next: CampaignSpec = { ...spec };
  if (change.title !== undefined) next.title = change.title;
  if (change.goal !== undefined) next.goal = change.goal;
  if (change.description !== undefined) next.description = change.description;
  if (change.status !== undefined) next.state = change.status;
  if (change.scoreMin !== undefined) next.scoreMin = change.scoreMin;
  if (change.reviewMode !== undefined) next.reviewMode = change.reviewMode;
  if (change.reviewExpiresAfterHours !== undefined) next.reviewExpiresAfterHours = change.reviewExpiresAfterHours;
  if (change.creditBudget !== undefined) next.creditBudget = change.creditBudget;
  if (change.signalWeights) next.signalWeights = { ...spec.signalWeights, ...given(change.signalWeights) };
  if (change.contactPolicy) next.contactPolicy = { ...spec.contactPolicy, ...given(change.contactPolicy) };
  if (change.businessHours) {
    next.businessHours = { ...(spec.businessHours ?? hours), ...given(change.businessHours) };
  }
  if (change.playbookOverride !== undefined) next.playbookOverride = change.playbookOverride;
  if (next.playbookOverride === '') delete next.playbookOverride;
  return next;
}

/** The fields that are present. */
function given<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never;
}
