import { messageOf } from '../../base/errors.ts';
import type { PeriodicJob } from '../../base/periodic.ts';
import type { Tx } from '../../postgres/database.ts';
import { forgetHolds } from '../../store/calendar/calendar-holds.ts';
import { forgetMedia } from '../../store/content/forget-media.ts';
import { forgetAttempts } from '../../store/enrichment/forget-attempts.ts';
import { forgetSettled } from '../../store/erasure/erasure.ts';
import { purgeAnswers } from '../../store/erasure/purge-answers.ts';
import { purgeDeleted } from '../../store/erasure/purge-deleted.ts';
import { endLeftRuns } from '../../store/erasure/tombstones.ts';
import { forgetLeftScores } from '../../store/scoring/scoring-pass.ts';
import type { OperatorContext } from '../context.ts';

/** Real ms between looks for what is kept no longer. What an hour is not enough for goes on in the next. */
const EVERY_MS = 3_600_000;
const WITHIN_MS = 3_600_000;

/**
 * The leader ends runs and takes scores away that a deletion has left, and purges the content of records that were deleted longer ago
 * than their workspace keeps them, addresses of unsubscription of two years ago, the answers of calls that nobody repeats any more,
 * what was kept of erased persons until the outcome of a send was known, the bytes of media whose posts went out long ago, who was
 * asked for what field half a year ago, and times of calendars that are held no longer.
 */
export function deletedRetentionJob(context: OperatorContext): PeriodicJob {
  const { product } = context.clocks;
  const purges: [what: string, part: (tx: Tx) => Promise<unknown>][] = [
    ['live runs of deleted workflows', (tx) => endLeftRuns(tx, product.now())],
    ['scores of deleted ICPs', forgetLeftScores],
    ['content of deleted records', (tx) => purgeDeleted(tx, product.now())],
    ['answers of calls', purgeAnswers],
    ['texts to erased persons', forgetSettled],
    ['media of posts of long ago', (tx) => forgetMedia(tx, product.now())],
    ['attempts to enrich', (tx) => forgetAttempts(tx, product.now())],
    ['held times of calendars', (tx) => forgetHolds(tx, product.now())],
  ];
  const run = async (signal: AbortSignal): Promise<void> => {
    const failed: string[] = [];
    // One that fails keeps none of the others from it.
    for (const [what, part] of purges)
      await purge(context, signal, what, part).catch((error: unknown) => failed.push(`${what}: ${messageOf(error)}`));
    if (failed.length > 0) throw new Error(`could not purge ${failed.join('; ')}`);
  };
  return { name: 'deleted-retention', everyMs: EVERY_MS, withinMs: WITHIN_MS, run };
}

/** Works part by part, each in a transaction of its own, until nothing is left. */
async function purge(
  { db, runtime }: OperatorContext,
  signal: AbortSignal,
  what: string,
  part: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  let parts = 0;
  while (!signal.aborted && (await db.tx({ kind: 'platform' }, part))) parts++;
  if (parts > 0) runtime.log.info({ parts }, `${what} purged`);
}
