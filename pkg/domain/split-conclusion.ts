import { type ArmOutcomes, type ArmPosterior, armPosteriors } from './split-posterior.ts';

/** When a split may be called: whether one arm may be declared the better one. */
export interface SplitConclusion {
  arms: readonly ArmPosterior[];
  callable: boolean;
  /** The arm that is ahead, as soon as every arm has enough exposures; a recommendation only once callable. */
  recommended: string | null;
  /** For people: what is known and what is missing. */
  explanation: string;
}

/** Choosing the winner may cost at most half a point of rate. Source: outreach anchors 3.10. */
const MOST_LOSS = 0.005;
/**
 * How many times better two different rates must explain the outcomes than one common rate. By Ville's inequality a
 * ratio of 20 is reached by equal arms in at most 1 of 20 campaigns, however often and whenever one looks, and
 * whatever the shares were meanwhile; several rivals share the risk.
 */
const LEAST_EVIDENCE = 20;
/** Standard deviation of the differences of log odds that arms of a campaign usually have. */
const USUAL_LIFT = 0.5;

/** Judges a split on matured outcomes only. */
export function judgeSplit(arms: readonly ArmOutcomes[], minExposuresPerArm: number): SplitConclusion {
  const posteriors = armPosteriors(arms);
  const leader = posteriors.reduce((best, arm) => (arm.chanceBest > best.chanceBest ? arm : best));
  const few = arms.filter((arm) => arm.matured < minExposuresPerArm);
  const refuse = (explanation: string): SplitConclusion => ({
    arms: posteriors,
    callable: false,
    recommended: null,
    explanation,
  });
  if (few.length > 0) {
    const told = few.map((arm) => `"${arm.branch}" ${arm.matured}`).join(', ');
    return refuse(`Too early: each arm needs ${minExposuresPerArm} matured exposures; ${told}.`);
  }
  const evidence = leastEvidence(arms, leader.branch);
  const needed = LEAST_EVIDENCE * (arms.length - 1);
  if (evidence < needed) {
    return refuse(
      `"${leader.branch}" is ahead (chance to be best ${percent(leader.chanceBest)}), but the difference may be luck: evidence ${round(evidence)} of ${needed}.`,
    );
  }
  if (leader.expectedLoss >= MOST_LOSS) {
    return refuse(
      `"${leader.branch}" is ahead, but choosing it may still cost ${percent(leader.expectedLoss)} of rate (limit ${percent(MOST_LOSS)}).`,
    );
  }
  return {
    arms: posteriors,
    callable: true,
    recommended: leader.branch,
    explanation: `"${leader.branch}" may be called: chance to be best ${percent(leader.chanceBest)}, evidence ${round(evidence)} (needed ${needed}), expected loss ${percent(leader.expectedLoss)}.`,
  };
}

/** Evidence of the leader against its closest rival. */
function leastEvidence(arms: readonly ArmOutcomes[], leader: string): number {
  const best = arms.find((arm) => arm.branch === leader);
  if (!best) return 0;
  const rivals = arms.filter((arm) => arm !== best);
  return rivals.reduce((least, rival) => Math.min(least, evidenceOf(best, rival)), Number.POSITIVE_INFINITY);
}

/**
 * Two different rates against one common rate: mixture sequential test on the difference of log odds, whose size is
 * expected around `USUAL_LIFT` (a lift of 1.5 is about 0.45). Half a case is added everywhere, so that no arm divides by 0.
 */
function evidenceOf(one: ArmOutcomes, other: ArmOutcomes): number {
  const [first, second] = [logOdds(one), logOdds(other)];
  const difference = first.value - second.value;
  const variance = first.variance + second.variance;
  const spread = USUAL_LIFT ** 2;
  const exponent = (difference ** 2 * spread) / (2 * variance * (variance + spread));
  return Math.sqrt(variance / (variance + spread)) * Math.exp(Math.min(50, exponent));
}

function logOdds({ matured, successes }: ArmOutcomes): { value: number; variance: number } {
  const [hits, misses] = [successes + 0.5, matured - successes + 0.5];
  return { value: Math.log(hits / misses), variance: 1 / hits + 1 / misses };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
}
