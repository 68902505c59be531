import { z } from 'zod';
import { judgeSplit } from '../../domain/split-conclusion.ts';
import { SPLIT_METRICS, SPLIT_MODES, type SplitConfig, type SplitSettings } from '../../domain/split-settings.ts';
import type { Tx } from '../../postgres/database.ts';
import { type ArmCounts, countArms, TELLING_RUNS } from '../../store/runs/splits.ts';
import { tookTooLong } from '../bounded-search.ts';

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
      successes: z.number().describe('Of the matured ones.'),
      early: z.number().describe('Successes that came already; judged when their window has passed.'),
      rate: z.number().nullable(),
      interval95: z.array(z.number()).length(2).describe('Low and high. No tuple: validators of clients know none.'),
      chanceBest: z.number(),
      expectedLoss: z.number(),
    }),
  ),
  callable: z.boolean(),
  recommended: z.string().nullable(),
  explanation: z.string(),
});
type SplitResult = z.input<typeof splitResult>;

/** Real ms within which all passages are counted. */
const COUNT_MS = 7_000;

interface CountedSplit {
  workspaceId: string;
  workflowId: string;
  nodeId: string;
  now: number;
  silent: readonly string[];
}

/** Counts of all branches, in their order. @param newest so many runs at most */
export async function countBranches(
  tx: Tx,
  split: CountedSplit,
  { branches }: SplitConfig,
  settings: SplitSettings,
  newest: number | null = null,
): Promise<ArmCounts[]> {
  const counts = await countArms(tx, split, settings, newest);
  return branches.map(
    ({ name }) =>
      counts.find((count) => count.branch === name) ?? {
        branch: name,
        exposures: 0,
        matured: 0,
        successes: 0,
        early: 0,
      },
  );
}

/**
 * Counts and judges a split now; arms in the order of the node's branches. Where there are more passages than can be counted in
 * time, the newest that have matured tell the rates, and the explanation says so.
 * @param tx reads only, each statement by itself
 * @param countMs real ms within which all passages are counted
 */
export async function splitResultOf(
  tx: Tx,
  split: CountedSplit,
  config: SplitConfig,
  settings: SplitSettings,
  countMs = COUNT_MS,
): Promise<SplitResult> {
  let told = '';
  const counted = await tx
    .limited(countMs, (limited) => countBranches(limited, split, config, settings))
    .catch((error: unknown) => {
      if (!tookTooLong(error)) throw error;
      told = ` Counted are the newest ${TELLING_RUNS} runs whose window has passed: there are too many to count them all.`;
      return countBranches(tx, split, config, settings, TELLING_RUNS);
    });
  const conclusion = judgeSplit(counted, settings.minExposuresPerArm);
  return {
    nodeId: split.nodeId,
    mode: settings.mode,
    metric: settings.metric,
    arms: counted.map(({ branch, exposures, matured, successes, early }) => {
      const posterior = conclusion.arms.find((arm) => arm.branch === branch);
      return {
        branch,
        weight: settings.weights[branch] ?? 0,
        exposures,
        matured,
        pending: exposures - matured,
        successes,
        early,
        rate: matured === 0 ? null : successes / matured,
        interval95: [posterior?.interval95[0] ?? 0, posterior?.interval95[1] ?? 1],
        chanceBest: posterior?.chanceBest ?? 0,
        expectedLoss: posterior?.expectedLoss ?? 0,
      };
    }),
    callable: conclusion.callable,
    recommended: conclusion.recommended,
    explanation: `${conclusion.explanation}${told}`,
  };
}
