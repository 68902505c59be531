import { messageOf } from '../../base/errors.ts';
import { dropOldEvents, KEEP_EVENT_DAYS } from '../../store/runs/event-months.ts';
import type { OperatorContext } from '../context.ts';

/** Real ms between looks for months of history that are old enough to go. */
const EVERY_MS = 3_600_000;

/** The leader drops months of run history that nobody keeps any more; a whole partition at a time costs nothing. */
export async function keepEventRetention({ db, clocks, runtime }: OperatorContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const dropped = await db.tx({ kind: 'platform' }, (tx) => dropOldEvents(tx, clocks.product.now()));
      if (dropped > 0) runtime.log.info({ months: dropped, keepDays: KEEP_EVENT_DAYS }, 'old run history dropped');
    } catch (error) {
      runtime.log.warn({ reason: messageOf(error) }, 'old run history could not be dropped');
    }
    await clocks.real.sleep(EVERY_MS, signal).catch(() => undefined);
  }
}
