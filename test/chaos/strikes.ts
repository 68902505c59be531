import { sleepReal } from '../../pkg/base/clock.ts';
import type { Supervised } from '../fixtures/chaos/chaos-fixture.ts';
import type { OwnPostgres } from './own-postgres.ts';

/** Longest stop of an executor and longest absence of the database, real ms: past a lease of two seconds. */
const STOP_MS = 5_000;
/** Furthest that the database's clock is put off, seconds; less often back than forth. */
const CLOCK_SECONDS = 600;
const BACK = 0.3;

type Strike = 'kill' | 'stop' | 'crash' | 'cut' | 'away' | 'clock';

/** All that may happen to executors and their database. */
export function strikes(
  postgres: OwnPostgres,
  executors: readonly Supervised[],
  random: () => number,
): Record<Strike, () => Promise<unknown>> {
  const one = (): Supervised | undefined => executors[Math.floor(random() * executors.length)];
  return {
    kill: async () => one()?.kill('SIGKILL'),
    stop: async () => {
      const stopped = one();
      stopped?.kill('SIGSTOP');
      await sleepReal(random() * STOP_MS);
      stopped?.kill('SIGCONT');
    },
    crash: () => postgres.crash(),
    cut: () => postgres.cutConnections(),
    away: async () => {
      postgres.kill();
      await sleepReal(random() * STOP_MS);
      await postgres.start();
    },
    clock: async () => postgres.clock?.set(Math.round((random() - BACK) * CLOCK_SECONDS)),
  };
}
