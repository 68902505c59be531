import { z } from 'zod';
import { SPLIT_METRICS, SPLIT_MODES, type SplitConfig, type SplitSettings } from '../../domain/split-settings.ts';
import { judgeSplit } from '../../domain/split-verdict.ts';
import type { Tx } from '../../postgres/database.ts';
import { countArms } from '../../store/splits.ts';

/** Catalog record SplitResult. */
export const splitResult = z.object({
  nodeId: z.string(),
  mode: z.enum(SPLIT_MODES),
  metric: z.enum(SPLIT_METRICS),
  arms: z.array(
    z.object({
      branch: z.string(),
      weight: z.number(),
      exposures: z.number(),
      matured: z.number(),
      pending: z.number(),
      successes: z.number(),
      rate: z.number().nullable(),
      interval95: z.tuple([z.number(), z.number()]),
      chanceBest: z.number(),
      expectedLoss: z.number(),
    }),
  ),
  callable: z.boolean(),
  recommended: z.string().nullable(),
  explanation: z.string(),
});
type SplitResult = z.input<typeof splitResult>;

/** Counts and judges a split now; arms in the order of the node's branches. */
export async function splitResultOf(
  tx: Tx,
  split: { workspaceId: string; workflowId: string; nodeId: string; now: number },
  config: SplitConfig,
  settings: SplitSettings,
): Promise<SplitResult> {
  const counts = await countArms(tx, split, settings);
  const counted = config.branches.map(
    ({ name }) =>
      counts.find((count) => count.branch === name) ?? { branch: name, exposures: 0, matured: 0, successes: 0 },
  );
  const verdict = judgeSplit(counted, settings.minExposuresPerArm);
  return {
    nodeId: split.nodeId,
    mode: settings.mode,
    metric: settings.metric,
    arms: counted.map(({ branch, exposures, matured, successes }) => {
      const posterior = verdict.arms.find((arm) => arm.branch === branch);
      return {
        branch,
        weight: settings.weights[branch] ?? 0,
        exposures,
        matured,
        pending: exposures - matured,
        successes,
        rate: matured === 0 ? null : successes / matured,
        interval95: [posterior?.interval95[0] ?? 0, posterior?.interval95[1] ?? 1],
        chanceBest: posterior?.chanceBest ?? 0,
        expectedLoss: posterior?.expectedLoss ?? 0,
      };
    }),
    callable: verdict.callable,
    recommended: verdict.recommended,
    explanation: verdict.explanation,
  };
}
