import { monotonicMs, sleepReal } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import type { Tx } from './database.ts';

/** lock_not_available: a lock was tried and is another's, or was waited for longer than the transaction may wait. */
const NOT_AVAILABLE = '55P03';

/** A lock that was tried is held by another transaction; nothing was done. The message says whose it may be and what to do next. */
export class LockTaken extends Error {
  override readonly name = 'LockTaken';
}

/** Real ms before the lock is tried again: a little more each time, and never long. */
const PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;
/** Real ms for which a call that somebody waits for tries. */
export const CALL_PATIENCE_MS = 4_000;

/**
 * Takes an advisory lock until the end of the transaction, or says at once that it is taken: who waits for a lock inside of a
 * transaction keeps a connection from everybody else.
 * @param seed which of the locks of that name, as in `hashtextextended(name, seed)`
 * @param taken what the caller is told
 * @throws LockTaken
 */
export async function tryLock(tx: Tx, name: string, seed: number, taken: string): Promise<void> {
  const row = await tx.row<{ got: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, $2)) as got', [
    name,
    seed,
  ]);
  if (row?.got !== true) throw new LockTaken(taken);
}

/**
 * Runs a transaction, and again a little later when a lock that it tried was taken: it holds no connection meanwhile. So `run` changes
 * nothing but the database.
 * @throws UserError when the lock was taken all the time
 */
export async function againWhenFree<T>(
  run: () => Promise<T>,
  patienceMs = CALL_PATIENCE_MS,
  pause = sleepReal,
): Promise<T> {
  const until = monotonicMs() + patienceMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const taken = takenOf(error);
      if (taken === undefined) throw error;
      if (monotonicMs() >= until) throw new UserError(taken, 'LockTaken');
    }
    await pause(Math.min(PAUSE_MS * attempt, LONGEST_PAUSE_MS));
  }
}

/** What a caller is told whose lock was taken; undefined for any other error. */
function takenOf(error: unknown): string | undefined {
  if (error instanceof LockTaken) return error.message;
  if (!(error instanceof Error) || !('code' in error) || error.code !== NOT_AVAILABLE) return undefined;
  // Our functions say it themselves; the server's own words name a lock that no caller knows.
  if ('hint' in error && typeof error.hint === 'string' && error.hint !== '') return `${error.message}. ${error.hint}`;
  return 'Another call changes the same records at this moment; nothing was done. Repeat the call in a few seconds.';
}
