import type { PeriodicJob } from '../base/periodic.ts';
import { TOLD_AT_ONCE, tellEnded } from '../store/signals/keep-signals.ts';
import type { OperatorContext } from './context.ts';

/** Real ms between looks: days end, not seconds. */
const EVERY_MS = 60_000;
const WITHIN_MS = 30_000;

/** The leader tells of signals whose window has ended. */
export function signalEndsJob({ db, clocks }: OperatorContext): PeriodicJob {
  const run = async (): Promise<boolean> => {
    const told = await db.tx({ kind: 'platform' }, (tx) => tellEnded(tx, clocks.product.now()));
    return told >= TOLD_AT_ONCE;
  };
  return { name: 'signal-ends', everyMs: EVERY_MS, withinMs: WITHIN_MS, run };
}
