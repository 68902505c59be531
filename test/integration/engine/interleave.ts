import { sleepReal } from '../../../pkg/base/clock.ts';

/** Real ms after which an actor that has not come to its next turn is taken to wait for another one. */
const WAITS_MS = 15;

/** Does something step by step; waits before each step until it is its turn. */
export type Actor = (turn: () => Promise<void>) => Promise<void>;

interface Stage {
  state: 'asks' | 'acts' | 'done';
  /** Resolves when it asks for a turn again, or is done. */
  stops: PromiseWithResolvers<void>;
  go: PromiseWithResolvers<void>;
}

function perform(actor: Actor): { stage: Stage; ended: Promise<void> } {
  const stage: Stage = { state: 'acts', stops: Promise.withResolvers(), go: Promise.withResolvers() };
  const turn = (): Promise<void> => {
    stage.state = 'asks';
    stage.stops.resolve();
    return stage.go.promise;
  };
  const ended = actor(turn).finally(() => {
    stage.state = 'done';
    stage.stops.resolve();
  });
  return { stage, ended };
}

/** Runs all, one step of one of them at a time as the dice say; who waits for a lock of another one is passed over meanwhile. */
export async function interleave(actors: readonly Actor[], dice: () => number): Promise<void> {
  const acts = actors.map(perform);
  const all = Promise.all(acts.map((act) => act.ended));
  // Awaited below; nothing is unheard until then.
  all.catch(() => undefined);
  while (acts.some(({ stage }) => stage.state !== 'done')) {
    const asking = acts.filter(({ stage }) => stage.state === 'asks');
    const chosen = asking[Math.floor(dice() * asking.length)]?.stage;
    if (!chosen) {
      await sleepReal(1);
      continue;
    }
    const { go } = chosen;
    chosen.state = 'acts';
    chosen.stops = Promise.withResolvers();
    chosen.go = Promise.withResolvers();
    go.resolve();
    await Promise.race([chosen.stops.promise, sleepReal(WAITS_MS)]);
  }
  await all;
}
