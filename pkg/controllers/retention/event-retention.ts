import type { PeriodicJob } from '../../base/periodic.ts';
import { forgetDeliveries } from '../../store/deliveries/forget-deliveries.ts';
import { forgetNotifications } from '../../store/notifications/forget-notifications.ts';
import { dropOldEvents, dropOldNumbers, KEEP_EVENT_DAYS, NUMBERS_AT_ONCE } from '../../store/runs/event-months.ts';
import type { OperatorContext } from '../context.ts';

/** Real ms between looks for months of history that are old enough to go. */
const EVERY_MS = 3_600_000;
const WITHIN_MS = 300_000;

/**
 * The leader drops months of history that nobody keeps any more (a whole partition at a time costs nothing), the numbers of their events,
 * deliveries that are long over, and old notifications.
 */
export function eventRetentionJob({ db, clocks, runtime }: OperatorContext): PeriodicJob {
  const run = async (): Promise<boolean> => {
    const now = clocks.product.now();
    const dropped = await db.tx({ kind: 'platform' }, (tx) => dropOldEvents(tx, now));
    if (dropped > 0) runtime.log.info({ months: dropped, keepDays: KEEP_EVENT_DAYS }, 'old run history dropped');
    const numbers = await db.tx({ kind: 'platform' }, (tx) => dropOldNumbers(tx, now));
    const more = await db.tx({ kind: 'platform' }, (tx) => forgetDeliveries(tx, now));
    const told = await db.tx({ kind: 'platform' }, (tx) => forgetNotifications(tx, now));
    return more || told || numbers === NUMBERS_AT_ONCE;
  };
  return { name: 'event-retention', everyMs: EVERY_MS, withinMs: WITHIN_MS, run };
}
