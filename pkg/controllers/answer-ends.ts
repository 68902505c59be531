import type { PeriodicJob } from '../base/periodic.ts';
import { CLOSED_AT_ONCE, closeExpiredAnswers } from '../store/reviews/expired-answers.ts';
import type { OperatorContext } from './context.ts';

/** Real ms between looks: drafts wait for hours. */
const EVERY_MS = 60_000;
const WITHIN_MS = 30_000;

/** The leader closes drafts of answers about which nobody decided in time. */
export function answerEndsJob({ db, clocks }: OperatorContext): PeriodicJob {
  const run = async (): Promise<boolean> => {
    const closed = await db.tx({ kind: 'platform' }, (tx) => closeExpiredAnswers(tx, clocks.product.now()));
    return closed >= CLOSED_AT_ONCE;
  };
  return { name: 'answer-ends', everyMs: EVERY_MS, withinMs: WITHIN_MS, run };
}
