import type { PeriodicJob } from '../../base/periodic.ts';
import { dropOldEvents, KEEP_EVENT_DAYS } from '../../store/runs/event-months.ts';
import type { OperatorContext } from '../context.ts';

/** Real ms between looks for months of history that are old enough to go. */
const EVERY_MS = 3_600_000;
const WITHIN_MS = 300_000;

/** The leader drops months of run history that nobody keeps any more; a whole partition at a time costs nothing. */
export function eventRetentionJob({ db, clocks, runtime }: OperatorContext): PeriodicJob {
  const run = async (): Promise<void> => {
    const dropped = await db.tx({ kind: 'platform' }, (tx) => dropOldEvents(tx, clocks.product.now()));
    if (dropped > 0) runtime.log.info({ months: dropped, keepDays: KEEP_EVENT_DAYS }, 'old run history dropped');
  };
  return { name: 'event-retention', everyMs: EVERY_MS, withinMs: WITHIN_MS, run };
}
