import { randomUUID } from 'node:crypto';
import { seededRandom } from '../../pkg/domain/random.ts';

const { CHAOS_SEED: given, CHAOS: extent } = process.env;

/** Decides who is killed when, which faults strike, and in which order things are done. CHAOS_SEED repeats a run. */
export const SEED = given || randomUUID().slice(0, 8);

/** `make chaos` runs all of it, `make test` a share. */
export const FULL = extent === 'full';

/** How often something is done: a share in `make test`, all of it in `make chaos`. */
export function times(share: number, full: number): number {
  return FULL ? full : share;
}

/** A stream of numbers in [0, 1) of this run. */
export function dice(...purpose: (string | number)[]): () => number {
  return seededRandom(SEED, ...purpose);
}

/** One of these and its name. @throws Error when there are none */
export function anyOf<T>(all: Readonly<Record<string, T>>, random: () => number): [string, T] {
  const names = Object.entries(all);
  const one = names[Math.floor(random() * names.length)];
  if (!one) throw new Error('there is nothing to choose from');
  return one;
}

/** Prints the seed of a failed test; give it to `afterEach`. */
export function tellSeed(this: Mocha.Context): void {
  if (this.currentTest?.state === 'failed') console.error(`      repeat it with CHAOS_SEED=${SEED}`);
}
