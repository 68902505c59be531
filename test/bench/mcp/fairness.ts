import { readFile } from 'node:fs/promises';
import { median } from './limiter.ts';
import { perSecond, type Target, target } from './load.ts';
import type { Stage } from './stage.ts';

/** Refused calls against a bare server's answers to the same requests: per second, and CPU microseconds of each. */
export interface Fairness {
  refused: Cost;
  bare: Cost;
}
interface Cost {
  perSecond: number;
  /** Of the server's process with all its threads; NaN where the machine does not say. */
  cpuUs: number;
}

/**
 * In turns, so that a machine that gets slower is so for both. Rates also have the load generator in them, which shares
 * the cores; what the processes themselves used has not.
 */
export async function fairness(stage: Stage, rounds: number, seconds: number): Promise<Fairness> {
  const call = { name: 'svc_get_workflow_node_types', arguments: {} };
  const refused = await target(stage.server.mcpUrl, 'tools/call', call, await stage.newKey(true));
  const turns = [
    { what: refused, pid: stage.server.pid, costs: [] as Cost[] },
    { what: { ...refused, url: stage.bare.mcpUrl }, pid: stage.bare.pid, costs: [] as Cost[] },
  ];
  // The first round warms up.
  for (let round = 0; round <= rounds; round++)
    for (const { what, pid, costs } of turns) {
      const cost = await costOf(what, pid, round === 0 ? 2 : seconds);
      if (round > 0) costs.push(cost);
    }
  const [ours, bare] = turns.map(({ costs }) => ({
    perSecond: median(costs.map((cost) => cost.perSecond)),
    cpuUs: median(costs.map((cost) => cost.cpuUs)),
  }));
  return { refused: ours as Cost, bare: bare as Cost };
}

async function costOf(what: Target, pid: number, seconds: number): Promise<Cost> {
  const before = await cpuUs(pid);
  const rate = await perSecond(what, seconds);
  return { perSecond: rate, cpuUs: ((await cpuUs(pid)) - before) / (rate * seconds) };
}

/** CPU microseconds that a process used so far: user and system time, in hundredths of a second. */
async function cpuUs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name may hold anything; behind it the state is the first field, the times are the 12th and 13th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
