import { systemIds } from '../base/ids.ts';
import type { PeriodicJob } from '../base/periodic.ts';
import { CLOCKS_AT_ONCE, clockedPosts, followClock, isMoved } from '../store/content/content-clocks.ts';
import type { OperatorContext } from './context.ts';

/** Real ms between rounds: zones are changed by people, and seldom. */
const EVERY_MS = 5 * 60_000;
const WITHIN_MS = 60_000;
/** Parts of one round; what is left comes in the next. */
const MOST_PARTS = 100;

/** The leader moves scheduled posts whose wall clocks show their times at other instants now. */
export function contentClocksJob(context: OperatorContext): PeriodicJob {
  return { name: 'content-clocks', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: () => followClocks(context) };
}

/** One round over all scheduled posts by wall clocks. */
export async function followClocks({ db, clocks }: Pick<OperatorContext, 'db' | 'clocks'>): Promise<void> {
  let after: string | null = null;
  for (let part = 0; part < MOST_PARTS; part++) {
    const posts = await db.tx({ kind: 'platform' }, (tx) => clockedPosts(tx, after));
    for (const post of posts.filter(isMoved))
      await db.tx({ kind: 'platform' }, (tx) => followClock(tx, post, clocks.product.now(), systemIds.uuid()));
    after = posts.at(-1)?.id ?? null;
    if (posts.length < CLOCKS_AT_ONCE) return;
  }
}
