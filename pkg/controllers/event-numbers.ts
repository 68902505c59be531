import type { PeriodicJob } from '../base/periodic.ts';
import { NUMBERED_AT_ONCE, numberEvents } from '../store/events/number-events.ts';
import type { OperatorContext } from './context.ts';

/** Real ms between looks: an event has its number, and readers see it, about this long after it was committed. */
const EVERY_MS = 1_000;
const WITHIN_MS = 30_000;

/** The leader numbers events after their commit: one process does it, and what causes them never waits for a counter. */
export function eventNumbersJob({ db }: OperatorContext): PeriodicJob {
  const run = async (): Promise<boolean> => {
    const numbered = await db.tx({ kind: 'platform' }, (tx) => numberEvents(tx));
    return numbered >= NUMBERED_AT_ONCE;
  };
  return { name: 'event-numbers', everyMs: EVERY_MS, withinMs: WITHIN_MS, run };
}
