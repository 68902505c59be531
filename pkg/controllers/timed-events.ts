import type { PeriodicJob } from '../base/periodic.ts';
import { forgetTimedEvents, tellTimedEvents } from '../store/events/timed-events.ts';
import type { OperatorContext } from './context.ts';

/** Real ms between looks: what is told is of a day or a week. */
const EVERY_MS = 60_000;
const WITHIN_MS = 60_000;

/** The leader tells what time alone causes: budgets that are used up, ramps that ended. */
export function timedEventsJob({ db, clocks }: OperatorContext): PeriodicJob {
  const run = async (): Promise<void> => {
    const now = clocks.product.now();
    await db.tx({ kind: 'platform' }, async (tx) => {
      await tellTimedEvents(tx, now);
      await forgetTimedEvents(tx, now);
    });
  };
  return { name: 'timed-events', everyMs: EVERY_MS, withinMs: WITHIN_MS, run };
}
