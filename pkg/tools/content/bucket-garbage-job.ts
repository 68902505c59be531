import { messageOf } from '../../base/errors.ts';
import type { PeriodicJob } from '../../base/periodic.ts';
import { pieceKey } from '../../domain/content/piece-key.ts';
import type { Database } from '../../postgres/database.ts';
import type { Bucket } from '../../providers/media/bucket.ts';
import { forgetLeft, leaveForLater, leftMedia } from '../../store/content/bucket-garbage.ts';

/** Real ms between looks, and media that one removes at most. */
const EVERY_MS = 60_000;
const WITHIN_MS = 300_000;
const AT_ONCE = 50;

/** Removes from the bucket what no post needs any more. Two servers that do it at once remove the same, which is harmless. */
export function bucketGarbageJob(db: Pick<Database, 'tx'>, bucket: Bucket): PeriodicJob {
  const run = async (signal: AbortSignal): Promise<boolean> => {
    const left = await db.tx({ kind: 'platform' }, (tx) => leftMedia(tx, AT_ONCE));
    for (const medium of left) {
      signal.throwIfAborted();
      try {
        for (let place = 0; place < medium.pieces; place++) await bucket.remove(pieceKey(medium, place), signal);
        await db.tx({ kind: 'platform' }, (tx) => forgetLeft(tx, medium.id));
      } catch (error) {
        // The others are not to wait for what the bucket refuses; where it does not answer, all wait for the next look.
        await db.tx({ kind: 'platform' }, (tx) => leaveForLater(tx, medium.id));
        throw new Error(`media are left in the bucket: ${messageOf(error)}`);
      }
    }
    return left.length === AT_ONCE;
  };
  return { name: 'bucket-garbage', everyMs: EVERY_MS, withinMs: WITHIN_MS, run };
}
