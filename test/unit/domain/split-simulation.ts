import { seededRandom } from '../../../pkg/domain/random.ts';
import { pickArm } from '../../../pkg/domain/split-arm.ts';
import { judgeSplit } from '../../../pkg/domain/split-verdict.ts';
import { thompsonWeights } from '../../../pkg/domain/split-weights.ts';

/** A simulated campaign: leads come every day, answers come days later, weights and verdict are made anew every day. */
export interface SimulatedCampaign {
  /** True rate of each arm. */
  rates: Readonly<Record<string, number>>;
  leadsPerDay: number;
  days: number;
  maturityDays: number;
  /** Days until an answer, on average (exponential). */
  meanDelayDays: number;
  minExposuresPerArm: number;
  minArmShare: number;
}

interface Exposure {
  branch: string;
  day: number;
  /** Answered within its window. */
  hit: boolean;
}

/** @returns the arm that the verdict called first, with the day; null: none. One look per day. */
export function simulate(campaign: SimulatedCampaign, seed: number): { called: string; day: number } | null {
  const random = seededRandom('campaign', seed);
  const branches = Object.keys(campaign.rates);
  const exposures: Exposure[] = [];
  const arms = branches.map((branch) => ({ branch, matured: 0, successes: 0 }));
  let judged = 0;
  let weights = Object.fromEntries(branches.map((name) => [name, 1 / branches.length]));
  for (let day = 0; day < campaign.days; day++) {
    judged = mature(exposures, judged, arms, day - campaign.maturityDays);
    const verdict = judgeSplit(arms, campaign.minExposuresPerArm);
    if (verdict.callable && verdict.recommended !== null) return { called: verdict.recommended, day };
    weights = thompsonWeights(verdict.arms, campaign.minArmShare);
    const shares = branches.map((name) => ({ name, weight: weights[name] ?? 0 }));
    for (let lead = 0; lead < campaign.leadsPerDay; lead++) {
      const branch = pickArm(shares, `lead-${day}-${lead}`, 'split', `flow-${seed}`);
      const hit = random() < (campaign.rates[branch] ?? 0);
      const delay = -Math.log(1 - random()) * campaign.meanDelayDays;
      exposures.push({ branch, day, hit: hit && delay <= campaign.maturityDays });
    }
  }
  return null;
}

/**
 * What the product counts: exposures up to a day, whose window has passed; an answer after its window is a miss.
 * @returns how many are judged now
 */
function mature(
  exposures: readonly Exposure[],
  from: number,
  arms: { branch: string; matured: number; successes: number }[],
  lastDay: number,
): number {
  let at = from;
  for (; at < exposures.length; at++) {
    const one = exposures[at];
    if (!one || one.day > lastDay) break;
    const arm = arms.find((other) => other.branch === one.branch);
    if (!arm) continue;
    arm.matured += 1;
    if (one.hit) arm.successes += 1;
  }
  return at;
}
