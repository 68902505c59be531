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

/** Points at which densities are computed; they cover every arm's mass, less than a tenth of a standard deviation apart. */
const POINTS = 250;
/** Standard deviations to each side of a mean; what lies outside is below 1e-9. */
const SPREAD = 7;

/**
 * Posteriors of all arms of a split by numeric integration over one grid: no randomness, the same outcomes give the
 * same answer. Source: outreach anchors 3.10.
 */
export function armPosteriors(arms: readonly ArmOutcomes[]): ArmPosterior[] {
  const grid = gridFor(arms);
  const cumulative = arms.map((arm) => cumulate(densities(arm, grid)));
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

function gridFor(arms: readonly ArmOutcomes[]): number[] {
  let low = 1;
  let high = 0;
  for (const { matured, successes } of arms) {
    const centre = (successes + 1) / (matured + 2);
    const deviation = Math.sqrt((centre * (1 - centre)) / (matured + 3));
    low = Math.min(low, centre - SPREAD * deviation);
    high = Math.max(high, centre + SPREAD * deviation);
  }
  low = Math.max(0, low);
  high = Math.min(1, high);
  // Midpoints: the density of an arm without outcomes is finite at both ends, of others it may be 0 there.
  return Array.from({ length: POINTS }, (_, at) => low + ((at + 0.5) * (high - low)) / POINTS);
}

/** Beta(1 + hits, 1 + misses) at the points of the grid, up to a factor. */
function densities({ matured, successes }: ArmOutcomes, grid: readonly number[]): number[] {
  const misses = matured - successes;
  const logs = grid.map((x) => successes * Math.log(x) + misses * Math.log1p(-x));
  const top = logs.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  return logs.map((value) => Math.exp(value - top));
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
function mean(cumulative: readonly number[], grid: readonly number[]): number {
  let before = 0;
  let sum = 0;
  cumulative.forEach((value, at) => {
    sum += (value - before) * (grid[at] ?? 0);
    before = value;
  });
  return sum;
}

function quantile(cumulative: readonly number[], grid: readonly number[], share: number): number {
  const at = cumulative.findIndex((value) => value >= share);
  return grid[at] ?? 1;
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
