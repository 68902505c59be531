import { sleepReal } from '../../base/clock.ts';
import { FencedError } from '../../base/errors.ts';

/** Tries of a settlement; its outcome is known and repeating it is harmless. */
const SETTLE_TRIES = 4;

/** Settles; tries again while the database is away for a moment. @throws FencedError, or the last error */
export async function settleAgain<T>(settle: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await settle();
    } catch (error) {
      if (error instanceof FencedError || attempt >= SETTLE_TRIES) throw error;
      await sleepReal(250 * 2 ** attempt);
    }
  }
}
