import { messageOf } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import { forgetSettled } from '../../store/erasure/erasure.ts';
import { purgeAnswers } from '../../store/erasure/purge-answers.ts';
import { purgeDeleted } from '../../store/erasure/purge-deleted.ts';
import { endLeftRuns } from '../../store/erasure/tombstones.ts';
import { forgetLeftScores } from '../../store/scoring/scoring-pass.ts';
import type { OperatorContext } from '../context.ts';

/** Real ms between looks for what is kept no longer. */
const EVERY_MS = 3_600_000;

/**
 * The leader ends runs and takes scores away that a deletion has left, and purges the content of records that were deleted longer ago
 * than their workspace keeps them, addresses of unsubscription of two years ago, the answers of calls that nobody repeats any more, and
 * what was kept of erased persons until the outcome of a send was known.
 */
export async function keepDeletedRetention(context: OperatorContext, signal: AbortSignal): Promise<void> {
  const { clocks } = context;
  while (!signal.aborted) {
    await purge(context, signal, 'live runs of deleted workflows', (tx) => endLeftRuns(tx, clocks.product.now()));
    await purge(context, signal, 'scores of deleted ICPs', forgetLeftScores);
    await purge(context, signal, 'content of deleted records', (tx) => purgeDeleted(tx, clocks.product.now()));
    await purge(context, signal, 'answers of calls', (tx) => purgeAnswers(tx));
    await purge(context, signal, 'texts to erased persons', forgetSettled);
    await clocks.real.sleep(EVERY_MS, signal).catch(() => undefined);
  }
}

/** Works part by part, each in a transaction of its own, until nothing is left. */
async function purge(
  { db, runtime }: OperatorContext,
  signal: AbortSignal,
  what: string,
  part: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  try {
    let parts = 0;
    while (!signal.aborted && (await db.tx({ kind: 'platform' }, part))) parts++;
    if (parts > 0) runtime.log.info({ parts }, `${what} purged`);
  } catch (error) {
    runtime.log.warn({ reason: messageOf(error) }, `${what} could not be purged`);
  }
}
