import type { PeriodicJob } from '../base/periodic.ts';
import { EXPIRE_PART, expireHolds, grantMonthlyCredits } from '../store/credits/credits.ts';
import type { OperatorContext } from './context.ts';

/** Real ms between rounds; a hold is good for half an hour, so a minute more or less is nothing. */
const EVERY_MS = 60_000;
const WITHIN_MS = 300_000;
/** Parts of expired holds that a round ends at most; the next one goes on. */
const MOST_PARTS = 100;

/**
 * One round: holds whose time is over give their credits back, and each month brings its credits; one does not wait for the
 * other. @throws what kept either from it
 */
export async function creditUpkeep({ db, clocks }: Pick<OperatorContext, 'db' | 'clocks'>): Promise<void> {
  const now = clocks.product.now();
  const [expired] = await Promise.allSettled([expireAll(db, now)]);
  await db.tx({ kind: 'platform' }, (tx) => grantMonthlyCredits(tx, now));
  if (expired.status === 'rejected') throw expired.reason;
}

/** In parts, each a transaction of its own: who holds credits meanwhile waits for one of them. */
async function expireAll(db: OperatorContext['db'], now: number): Promise<void> {
  for (let part = 0; part < MOST_PARTS; part++) {
    const ended = await db.tx({ kind: 'platform' }, (tx) => expireHolds(tx, null, now));
    if (ended < EXPIRE_PART) return;
  }
}

/** The leader's upkeep of the credit ledger. */
export function creditUpkeepJob(context: OperatorContext): PeriodicJob {
  return { name: 'credit-upkeep', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: () => creditUpkeep(context) };
}
