import { seededRandom } from '../../../pkg/domain/random.ts';
import { pickArm } from '../../../pkg/domain/split-arm.ts';
import type { ArmOutcomes } from '../../../pkg/domain/split-posterior.ts';
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
  /** Day of the answer; null: never. */
  answeredOn: number | null;
}

/** @returns the arm that the verdict called first, with the day; null: none. One look per day. */
export function simulate(campaign: SimulatedCampaign, seed: number): { called: string; day: number } | null {
  const random = seededRandom('campaign', seed);
  const branches = Object.keys(campaign.rates);
  const exposures: Exposure[] = [];
  let weights = Object.fromEntries(branches.map((name) => [name, 1 / branches.length]));
  for (let day = 0; day < campaign.days; day++) {
    const arms = outcomesOn(exposures, branches, day, campaign.maturityDays);
    const verdict = judgeSplit(arms, campaign.minExposuresPerArm);
    if (verdict.callable && verdict.recommended !== null) return { called: verdict.recommended, day };
    weights = thompsonWeights(verdict.arms, campaign.minArmShare);
    const shares = branches.map((name) => ({ name, weight: weights[name] ?? 0 }));
    for (let lead = 0; lead < campaign.leadsPerDay; lead++) {
      const branch = pickArm(shares, `lead-${day}-${lead}`, 'split', `flow-${seed}`);
      const hit = random() < (campaign.rates[branch] ?? 0);
      const delay = -Math.log(1 - random()) * campaign.meanDelayDays;
      exposures.push({ branch, day, answeredOn: hit ? day + delay : null });
    }
  }
  return null;
}

/** What the product counts: exposures whose window has passed; an answer after its window is a miss. */
function outcomesOn(exposures: readonly Exposure[], branches: string[], day: number, maturity: number): ArmOutcomes[] {
  const arms = new Map(branches.map((branch) => [branch, { branch, matured: 0, successes: 0 }]));
  for (const one of exposures) {
    if (one.day + maturity > day) break;
    const arm = arms.get(one.branch);
    if (!arm) continue;
    arm.matured += 1;
    if (one.answeredOn !== null && one.answeredOn <= one.day + maturity) arm.successes += 1;
  }
  return [...arms.values()];
}
