/** Matured outcomes of one arm; exposures whose window still runs are not in here. */
export interface ArmOutcomes {
  branch: string;
  /** Exposures whose outcome window has passed, hits and misses. */
  matured: number;
  successes: number;
}

/** What is known about the true rate of an arm, from a uniform prior (Beta(1,1)). */
export interface ArmPosterior {
  branch: string;
  /** Mean of the posterior, 0 to 1. */
  mean: number;
  /** The middle 95 % of the posterior. */
  interval95: readonly [low: number, high: number];
  /** Probability that this arm has the highest rate. */
  chanceBest: number;
  /** Rate that is lost on average by choosing this arm for good (0 to 1). */
  expectedLoss: number;
}

/** Cells in which each arm's own mass is computed, less than a tenth of its standard deviation wide. */
const CELLS = 150;
/** Standard deviations to each side of a mean, and beyond them twelve cases, since near 0 and 1 a tail is longer on one side; outside lies less than 1e-6. */
const SPREAD = 6;
const TAIL_CASES = 12;

/** Cells narrower than this are none. */
const ROUNDING = 1e-12;

/** Cells that cover the mass of every arm; densities are computed in their middle. */
interface Grid {
  middle: readonly number[];
  width: readonly number[];
}

/**
 * Posteriors of all arms of a split by numeric integration over one grid, which is fine wherever an arm is narrow: no randomness, the same outcomes give the
 * same answer. Source: outreach anchors 3.10.
 */
export function armPosteriors(arms: readonly ArmOutcomes[]): ArmPosterior[] {
  const grid = gridFor(arms);
  const cumulative = arms.map((arm) => cumulate(masses(arm, grid)));
  const maximum = mean(product(cumulative), grid);
  return arms.map((arm, index) => {
    const own = cumulative[index] ?? [];
    const expected = mean(own, grid);
    return {
      branch: arm.branch,
      mean: (arm.successes + 1) / (arm.matured + 2),
      interval95: [quantile(own, grid, 0.025), quantile(own, grid, 0.975)],
      chanceBest: chanceBest(cumulative, index),
      expectedLoss: Math.max(0, maximum - expected),
    };
  });
}

/** The cells of all arms laid over each other: beside an arm of 50 cases one of 50,000 lies within a cell of the former. */
function gridFor(arms: readonly ArmOutcomes[]): Grid {
  const edges = [...new Set(arms.flatMap(edgesOf))].sort((a, b) => a - b);
  const middle: number[] = [];
  const width: number[] = [];
  for (let at = 1; at < edges.length; at++) {
    const [from, to] = [edges[at - 1] ?? 0, edges[at] ?? 1];
    // Edges of two arms that differ by rounding alone: the middle would be one of them, and at 0 or 1 no number.
    if (to - from < ROUNDING) continue;
    middle.push((from + to) / 2);
    width.push(to - from);
  }
  return { middle, width };
}

function edgesOf({ matured, successes }: ArmOutcomes): number[] {
  const centre = (successes + 1) / (matured + 2);
  const deviation = Math.sqrt((centre * (1 - centre)) / (matured + 3));
  const reach = SPREAD * deviation + TAIL_CASES / (matured + 2);
  const low = Math.max(0, centre - reach);
  const high = Math.min(1, centre + reach);
  return Array.from({ length: CELLS + 1 }, (_, at) => low + (at * (high - low)) / CELLS);
}

/** Beta(1 + hits, 1 + misses) in the cells of the grid, up to a factor. */
function masses({ matured, successes }: ArmOutcomes, { middle, width }: Grid): number[] {
  const misses = matured - successes;
  const logs = middle.map((x) => successes * Math.log(x) + misses * Math.log1p(-x));
  const top = logs.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  return logs.map((value, at) => Math.exp(value - top) * (width[at] ?? 0));
}

/** Cumulative probability up to the end of each cell of the grid; the last is 1. */
function cumulate(values: readonly number[]): number[] {
  let sum = 0;
  const sums = values.map((value) => {
    sum += value;
    return sum;
  });
  return sums.map((value) => value / sum);
}

/** Distribution of the maximum of independent arms. */
function product(cumulative: readonly (readonly number[])[]): number[] {
  return (cumulative[0] ?? []).map((_, at) => cumulative.reduce((all, arm) => all * (arm[at] ?? 1), 1));
}

/** Mean of a distribution given by its cumulative values. */
function mean(cumulative: readonly number[], { middle }: Grid): number {
  let before = 0;
  let sum = 0;
  cumulative.forEach((value, at) => {
    sum += (value - before) * (middle[at] ?? 0);
    before = value;
  });
  return sum;
}

function quantile(cumulative: readonly number[], { middle }: Grid, share: number): number {
  const at = cumulative.findIndex((value) => value >= share);
  return middle[at] ?? 1;
}

/** Probability that arm `index` beats all others: its own mass in a cell times the others' below it (half in the cell). */
function chanceBest(cumulative: readonly (readonly number[])[], index: number): number {
  const own = cumulative[index] ?? [];
  let before = 0;
  let chance = 0;
  own.forEach((value, at) => {
    let below = 1;
    cumulative.forEach((other, which) => {
      if (which !== index) below *= ((other[at] ?? 1) + (at === 0 ? 0 : (other[at - 1] ?? 0))) / 2;
    });
    chance += (value - before) * below;
    before = value;
  });
  return Math.min(1, chance);
}
