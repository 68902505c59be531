import type { PeriodicJob } from '../../base/periodic.ts';
import type { Database } from '../../postgres/database.ts';
import { forgetEnded } from '../../store/console/sign-in-links.ts';

/** Real ms. */
const EVERY_MS = 3_600_000;
const WITHIN_MS = 60_000;

/** Forgets sessions of the console and links into it that ended long ago. */
export function consoleUpkeepJob(db: Pick<Database, 'tx'>): PeriodicJob {
  return {
    name: 'console-upkeep',
    everyMs: EVERY_MS,
    withinMs: WITHIN_MS,
    run: () => db.tx({ kind: 'platform' }, forgetEnded),
  };
}
