import { readFile } from 'node:fs/promises';
import { median } from './limiter.ts';
import { perSecond, type Target } from './load.ts';

/** What answers to one request cost. */
export interface Cost {
  perSecond: number;
  /** Microseconds of an answer, of the server's process with all its threads; NaN where the machine does not say. */
  cpuUs: number;
}

/** One request, and the process that answers it. */
export interface Measured {
  target: Target;
  pid: number;
}

/**
 * Medians over rounds in which all take turns, so that a machine that gets slower is so for all of them. Rates also have the
 * load generator in them, which shares the cores; what the processes themselves used has not.
 */
export async function costs<Name extends string>(
  measured: ReadonlyMap<Name, Measured>,
  rounds: number,
  seconds: number,
): Promise<Map<Name, Cost>> {
  const all = new Map<Name, Cost[]>([...measured.keys()].map((name) => [name, []]));
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, what] of measured) {
      const cost = await costOf(what, round === 0 ? 2 : seconds);
      if (round > 0) all.get(name)?.push(cost);
    }
  }
  const middle = (of: Cost[]): Cost => ({
    perSecond: median(of.map((cost) => cost.perSecond)),
    cpuUs: median(of.map((cost) => cost.cpuUs)),
  });
  return new Map([...all].map(([name, of]) => [name, middle(of)]));
}

async function costOf({ target, pid }: Measured, seconds: number): Promise<Cost> {
  const before = await cpuUs(pid);
  const rate = await perSecond(target, seconds);
  return { perSecond: rate, cpuUs: ((await cpuUs(pid)) - before) / (rate * seconds) };
}

/** CPU microseconds that a process used so far: user and system time, in hundredths of a second. */
async function cpuUs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name may hold anything; behind it the state is the first field, the times are the 12th and 13th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
