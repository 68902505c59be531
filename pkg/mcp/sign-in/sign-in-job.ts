import type { Clocks } from '../../base/clock.ts';
import type { PeriodicJob } from '../../base/periodic.ts';
import type { Database } from '../../postgres/database.ts';
import { forgetClients } from '../../store/sign-in/clients.ts';
import { forgetExpired } from '../../store/sign-in/grants.ts';

const EVERY_MS = 600_000;
const WITHIN_MS = 60_000;

/** Forgets codes, tokens and clients whose time is over, and ends grants that can not be renewed any more. */
export function signInJob({ db, clocks }: { db: Pick<Database, 'tx'>; clocks: Clocks }): PeriodicJob {
  return {
    name: 'sign-in',
    everyMs: EVERY_MS,
    withinMs: WITHIN_MS,
    run: async () => {
      await db.tx({ kind: 'platform' }, (tx) => forgetExpired(tx, clocks.product.now()));
      await db.tx({ kind: 'platform' }, forgetClients);
    },
  };
}
