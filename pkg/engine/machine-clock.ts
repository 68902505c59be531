import { FencedError } from '../base/errors.ts';
import type { ProductClock } from '../base/product-clock.ts';
import type { Database } from '../postgres/database.ts';

/**
 * Ms by which the clock of a machine may differ from the database's. Further off its days are not those of the others: it would
 * spend tomorrow's budget, write to people at night and cut their waits short.
 */
const MOST_CLOCK_ERROR_MS = 600_000;

/** The database's clock in SQL, epoch ms. */
const DATABASE_NOW = '(extract(epoch from clock_timestamp()) * 1000)::float8';

/** What is wrong with a machine's clock beside the database's (both epoch ms), for people; undefined: nothing. */
export function clockProblem(machineNow: number, databaseNow: number): string | undefined {
  const ahead = machineNow - databaseNow;
  if (Math.abs(ahead) <= MOST_CLOCK_ERROR_MS) return undefined;
  const side = ahead > 0 ? 'ahead of' : 'behind';
  return `the clock of this process is ${Math.round(Math.abs(ahead) / 1_000)} s ${side} the database's; set both machines by NTP`;
}

/** For a process that holds no claim for long; its clock keeps the error with which it began. @throws FencedError */
export async function requireClock(db: Database, clock: ProductClock): Promise<void> {
  if (!clock.steady) return;
  const row = await db.tx({ kind: 'none' }, (tx) => tx.row<{ now: number }>(`select ${DATABASE_NOW} as now`));
  const problem = clockProblem(clock.now(), row?.now ?? clock.now());
  if (problem !== undefined) throw new FencedError(problem);
}
