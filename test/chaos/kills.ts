import type { ChildProcess } from 'node:child_process';
import { sleepReal } from '../../pkg/base/clock.ts';
import { type Fixture, kill } from '../fixtures/chaos/chaos-fixture.ts';
import type { Load } from './load.ts';

/** Longest wait between the sight of an effect in flight and the kill, real ms: about as long as an effect takes. */
const SPREAD_MS = 300;
/** Now and then an executor lives longer, so that outcomes are proven and sent again between the kills, too. */
const CALM_SHARE = 0.04;
const CALM_MS = 5_000;
/** Kills between two lines about how far it is. */
const TELL_EVERY = 50;

interface KillPlan {
  kills: number;
  random: () => number;
  /** Who comes back: the same Pod, which claims at once, or another holder, who waits for the end of the lease. */
  next: 'same' | 'other';
  /** People who come whenever few can go on; absent: nobody, and it ends when all are done. */
  refill?: number;
}

/**
 * SIGKILLs the executor of a load again and again while effects of its own are in flight. The next one has started
 * before and gets the claim as soon as the one before is dead: a supervisor without any back-off.
 * @returns how often, and the executor that came last and still runs
 */
export async function killAgain(
  fixture: Fixture,
  load: Load,
  { kills, random, next, refill = 0 }: KillPlan,
): Promise<{ killed: number; last: ChildProcess }> {
  let killed = 0;
  const start = (index: number, after?: Promise<void>): ChildProcess => {
    const holder = next === 'same' ? 'pod' : `pod-${index}-${load.ws}`;
    return fixture.executor({ workspace: load.ws }, holder, after ? { after } : {});
  };
  const over = async (): Promise<boolean> => (await load.live()) === 0;
  let child = start(0);
  for (let epoch = 0; killed < kills; ) {
    if (refill > 0) await load.keepBusy(refill);
    if (await over()) break;
    const dead = Promise.withResolvers<void>();
    const following = start(killed + 1, dead.promise);
    await fixture.until(
      'an effect in flight',
      async () => (await load.inFlight({ afterEpoch: epoch })) || (await over()),
    );
    await sleepReal(random() * (random() < CALM_SHARE ? CALM_MS : SPREAD_MS));
    await kill(child);
    epoch = await load.epoch();
    dead.resolve();
    killed++;
    child = following;
    if (killed % TELL_EVERY === 0) console.log(`      ${killed} kills; ${await load.text()}`);
  }
  return { killed, last: child };
}
