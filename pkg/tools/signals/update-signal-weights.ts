import { z } from 'zod';
import type { CampaignSpec } from '../../api/specs.ts';
import { SIGNAL_TYPES } from '../../domain/condition.ts';
import { SIGNAL_DECAYS, signalRulesOf } from '../../domain/signal-score.ts';
import { rescoreCampaign } from '../../store/scoring/scoring-jobs.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import { signalWeight, weightsOf } from './signal-weight.ts';

/** The default is told in the schema only: what is not given stays as it is. */
const weight = z.strictObject({
  type: z.enum(SIGNAL_TYPES),
  points: z.number().min(0).max(100).optional(),
  windowDays: z.int().min(1).max(365).optional(),
  decay: z.enum(SIGNAL_DECAYS).optional().meta({ default: 'linear' }),
  halfLifeDays: z.number().min(0.5).max(365).optional(),
});
const input = z.strictObject({
  campaignId: z.string().min(1),
  weights: z.array(weight).min(1).max(4),
  cap: z.number().min(0).max(100).optional().describe('Most points signals may add to one lead.'),
});
type Change = z.output<typeof input>;

export const updateSignalWeights = tool({
  name: 'svc_update_signal_weights',
  domain: 'Signals',
  title: 'Update signal weights',
  description:
    'Sets points, expiry window and decay per signal type of a campaign and rescores. Next: svc_get_icp_scores.',
  example: { input: { campaignId: '$campaignId', weights: [{ type: 'job_change', points: 20 }] } },
  scope: 'signals:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input,
  output: z.object({ campaignId: z.string(), weights: z.array(signalWeight), rescoreQueued: z.boolean() }),
  async run(ctx, change) {
    const row = await ctx.tx((tx) => requireCampaign(tx, change.campaignId));
    requireWhole(change, weightsOf(signalRulesOf(row.settings)));
    return ctx.resources.update({
      kind: 'Campaign',
      workspaceId: row.workspace_id,
      id: row.id,
      change: (spec) => changed(spec, change),
      finish: async (tx) => {
        const icps = await rescoreCampaign(tx, row.id, () => ctx.ids.uuid(), ctx.clocks.product.now());
        const after = await requireCampaign(tx, row.id);
        return {
          campaignId: row.id,
          weights: weightsOf(signalRulesOf(after.settings)),
          rescoreQueued: icps > 0,
        };
      },
    });
  },
});

/** Each type once; a half-life needs its days, given now or before. */
function requireWhole(change: Change, before: z.input<typeof signalWeight>[]): void {
  change.weights.forEach((one, index) => {
    if (change.weights.findIndex((other) => other.type === one.type) < index)
      throw invalidInput(`weights.${index}.type`, `${one.type} is given twice`);
    const known = before.find((other) => other.type === one.type);
    const decay = one.decay ?? known?.decay;
    if (decay === 'half_life' && (one.halfLifeDays ?? known?.halfLifeDays ?? null) === null)
      throw invalidInput(`weights.${index}.halfLifeDays`, 'is required when decay is half_life');
  });
}

/** Points live in signalWeights, which svc_update_campaign sets too; window and decay beside them. */
function changed(spec: CampaignSpec, change: Change): CampaignSpec {
  const next: CampaignSpec = {
    ...spec,
    signalWeights: { ...spec.signalWeights },
    signalRules: { ...spec.signalRules, ...(change.cap === undefined ? {} : { cap: change.cap }) },
  };
  for (const { type, points, windowDays, decay, halfLifeDays } of change.weights) {
    if (points !== undefined) next.signalWeights[type] = points;
    next.signalRules[type] = {
      ...next.signalRules[type],
      ...(windowDays === undefined ? {} : { windowDays }),
      ...(decay === undefined ? {} : { decay }),
      ...(halfLifeDays === undefined ? {} : { halfLifeDays }),
    };
  }
  return next;
}
