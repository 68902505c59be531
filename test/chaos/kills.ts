import type { ChildProcess } from 'node:child_process';
import { sleepReal } from '../../pkg/base/clock.ts';
import type { Load } from './load.ts';
import { kill, type Stage } from './stage.ts';

/** Longest wait between the sight of an effect in flight and the kill, real ms: about as long as an effect takes. */
const SPREAD_MS = 300;

interface KillPlan {
  kills: number;
  random: () => number;
  /** Who comes back: the same Pod, which claims at once, or another holder, who waits for the end of the lease. */
  next: 'same' | 'other';
}

/**
 * SIGKILLs the executor of a load again and again while effects of its own are in flight.
 * @returns how often, and the executor that came last and still runs
 */
export async function killAgain(
  stage: Stage,
  load: Load,
  { kills, random, next }: KillPlan,
): Promise<{ killed: number; last: ChildProcess }> {
  let killed = 0;
  const start = (): ChildProcess =>
    stage.executor({ workspace: load.ws }, next === 'same' ? 'pod' : `pod-${killed}-${load.ws}`);
  const over = async (): Promise<boolean> => (await load.live()) === 0;
  let child = start();
  for (let epoch = 0; killed < kills && !(await over()); epoch = await load.epoch()) {
    await stage.until('an effect in flight', async () => (await load.inFlight(epoch)) || (await over()));
    await sleepReal(random() * SPREAD_MS);
    await kill(child);
    killed++;
    child = start();
  }
  return { killed, last: child };
}
