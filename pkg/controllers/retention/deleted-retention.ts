import { messageOf } from '../../base/errors.ts';
import { purgeDeleted } from '../../store/purge-deleted.ts';
import type { OperatorContext } from '../context.ts';

/** Real ms between looks for deleted records whose retention time is over. */
const EVERY_MS = 3_600_000;

/** The leader purges the content of records that were deleted longer ago than their workspace keeps them. */
export async function keepDeletedRetention(
  { db, clocks, runtime }: OperatorContext,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      let parts = 0;
      while (!signal.aborted && (await db.tx({ kind: 'platform' }, (tx) => purgeDeleted(tx, clocks.product.now()))))
        parts++;
      if (parts > 0) runtime.log.info({ parts }, 'content of deleted records purged');
    } catch (error) {
      runtime.log.warn({ reason: messageOf(error) }, 'content of deleted records could not be purged');
    }
    await clocks.real.sleep(EVERY_MS, signal).catch(() => undefined);
  }
}
