import { z } from 'zod';
import { SPLIT_METRICS, SPLIT_MODES, type SplitConfig, splitSettings } from '../../domain/split-settings.ts';
import { tryLock } from '../../postgres/taken-lock.ts';
import { type ArmCounts, readSplits, type SplitRow, TELLING_RUNS, writeSplit } from '../../store/runs/splits.ts';
import { actorOf } from '../actor-of.ts';
import { invalidInput, wrongState } from '../errors.ts';
import { tool } from '../tool.ts';
import { requireWorkflow } from '../workflows/workflow-row.ts';
import { splitNodes } from './split-nodes.ts';
import { countBranches } from './split-result.ts';

/** Defaults are told in the schema only: what is not given stays as it is. */
/** What the caller is told while another call changes it all the time. */
const SPLIT_CHANGES =
  'Another call changes this split at this moment; nothing was done. Repeat this call in a few seconds.';

const input = z.strictObject({
  workflowId: z.string().min(1),
  nodeId: z.string().min(1),
  mode: z.enum(SPLIT_MODES).optional(),
  metric: z.enum(SPLIT_METRICS).optional(),
  weights: z.record(z.string(), z.unknown()).optional().describe('branch -> share; fixed mode; must sum to 1.'),
  minExposuresPerArm: z.int().min(10).max(100_000).optional().meta({ default: 50 }),
  minArmShare: z.number().min(0).max(0.5).optional().meta({ default: 0.05 }),
  maturityHours: z
    .int()
    .min(1)
    .max(1_440)
    .optional()
    .meta({ default: 168 })
    .describe('Outcome window before an exposure counts as a miss.'),
  promoteBranch: z.string().min(1).optional(),
  reset: z.boolean().default(false),
});
type Change = z.output<typeof input>;

export const updateSplitOptimization = tool({
  name: 'svc_update_split_optimization',
  domain: 'Split Optimization',
  title: 'Control split optimisation',
  description:
    'Sets the metric and mode (fixed, bandit, paused), weights, safety floors, or promotes a winner; the assignment of leads already in an arm never changes. Next: svc_get_split_results.',
  example: { input: { workflowId: '$workflowId', nodeId: 'opener', minArmShare: 0.1 } },
  scope: 'workflows:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input,
  output: z.object({
    workflowId: z.string(),
    nodeId: z.string(),
    mode: z.string(),
    weights: z.record(z.string(), z.number()),
  }),
  async run(ctx, change) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const workflow = await requireWorkflow(tx, change.workflowId);
      const [node] = await splitNodes(tx, workflow, change.nodeId);
      if (!node) throw new Error('a named split is found or refused');
      await tryLock(tx, `split:${workflow.id}/${node.nodeId}`, 0, SPLIT_CHANGES);
      const rows = await readSplits(tx, workflow.workspace_id, [workflow.id]);
      const before = rows.find((row) => row.nodeId === node.nodeId) ?? untouched(workflow.id, node.nodeId);
      const next = changed(before, change, node.config, now);
      if (change.promoteBranch !== undefined) {
        const about = {
          workspaceId: workflow.workspace_id,
          workflowId: workflow.id,
          nodeId: node.nodeId,
          now,
          silent: node.silent,
        };
        const settings = splitSettings(node.config, next);
        const least = settings.minExposuresPerArm;
        const fewOf = async (newest: number | null): Promise<ArmCounts[]> =>
          (await countBranches(tx, about, node.config, settings, newest)).filter((arm) => arm.matured < least);
        // The newest mostly tell already; all of a large workflow take long to count.
        const few = (await fewOf(TELLING_RUNS)).length > 0 ? await fewOf(null) : [];
        if (few.length > 0) {
          const told = few.map((arm) => `"${arm.branch}" has ${arm.matured}`).join(', ');
          throw wrongState(
            `Promotion needs ${least} matured exposures in each arm (minExposuresPerArm); ${told}`,
            'svc_get_split_results',
          );
        }
      }
      const by = actorOf(ctx);
      await writeSplit(tx, workflow.workspace_id, next, { by, now });
      const settings = splitSettings(node.config, next);
      return { workflowId: workflow.id, nodeId: node.nodeId, mode: settings.mode, weights: { ...settings.weights } };
    });
  },
});

function untouched(workflowId: string, nodeId: string): SplitRow {
  return {
    workflowId,
    nodeId,
    mode: null,
    metric: null,
    weights: null,
    minExposures: null,
    minArmShare: null,
    maturityHours: null,
    promoted: null,
    learnt: null,
    learntAt: null,
    since: 0,
  };
}

/**
 * `reset` begins anew: outcomes before now count no more, and learnt, set and promoted shares are gone. What else is
 * given counts after it. A promotion fixes the shares; another mode or other weights take it back.
 */
function changed(before: SplitRow, change: Change, config: SplitConfig, now: number): SplitRow {
  const start: SplitRow = change.reset
    ? { ...before, weights: null, promoted: null, learnt: null, learntAt: null, since: now }
    : before;
  const next: SplitRow = {
    ...start,
    mode: change.mode ?? start.mode,
    metric: change.metric ?? start.metric,
    minExposures: change.minExposuresPerArm ?? start.minExposures,
    minArmShare: change.minArmShare ?? start.minArmShare,
    maturityHours: change.maturityHours ?? start.maturityHours,
  };
  if (change.mode !== undefined || change.weights !== undefined) next.promoted = null;
  if (change.weights !== undefined) {
    if ((next.mode ?? config.mode) !== 'fixed')
      throw invalidInput('weights', 'only a split in mode fixed takes weights; give mode: fixed too');
    next.weights = sharesOf(change.weights, config);
  }
  // Another metric makes what was learnt from the old one worthless.
  if (change.metric !== undefined && change.metric !== start.metric) next.learntAt = null;
  if (change.promoteBranch !== undefined) {
    const names = config.branches.map((branch) => branch.name);
    if (!names.includes(change.promoteBranch))
      throw invalidInput('promoteBranch', `is none of the branches ${names.join(', ')}`);
    if (change.mode !== undefined && change.mode !== 'fixed')
      throw invalidInput('promoteBranch', 'a promoted split is fixed; leave mode out');
    next.mode = 'fixed';
    next.promoted = change.promoteBranch;
  }
  return next;
}

/** Shares of all branches that add up to 1. @throws UserError */
function sharesOf(weights: Record<string, unknown>, config: SplitConfig): Record<string, number> {
  const names = config.branches.map((branch) => branch.name);
  for (const [name, share] of Object.entries(weights)) {
    if (!names.includes(name)) throw invalidInput(`weights.${name}`, `is none of the branches ${names.join(', ')}`);
    if (typeof share !== 'number' || share < 0 || share > 1)
      throw invalidInput(`weights.${name}`, 'must be a number from 0 to 1');
  }
  const shares = Object.fromEntries(names.map((name) => [name, Number(weights[name] ?? 0)]));
  const sum = Object.values(shares).reduce((all, share) => all + share, 0);
  if (Math.abs(sum - 1) > 1e-6) throw invalidInput('weights', `must sum to 1, not ${Math.round(sum * 1e6) / 1e6}`);
  return shares;
}
