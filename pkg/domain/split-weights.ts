import type { ArmPosterior } from './split-posterior.ts';

/**
 * Thompson sampling in shares: each arm gets leads by its chance to be the best, on matured outcomes, and none less
 * than `minArmShare` (an equal share where that is more than there is). Shares add up to 1.
 */
export function thompsonWeights(
  arms: readonly Pick<ArmPosterior, 'branch' | 'chanceBest'>[],
  minArmShare: number,
): Record<string, number> {
  const floor = Math.min(minArmShare, 1 / arms.length);
  const left = 1 - floor * arms.length;
  const sum = arms.reduce((all, arm) => all + arm.chanceBest, 0);
  return Object.fromEntries(arms.map((arm) => [arm.branch, floor + (left * arm.chanceBest) / sum]));
}
