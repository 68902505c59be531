import { monotonicMs, sleepReal } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import type { Tx } from './database.ts';

/** lock_not_available: a lock was tried and is another's, or was waited for longer than the transaction may wait. */
const NOT_AVAILABLE = '55P03';

/** A lock that was tried is held by another transaction; nothing was done. The message says whose it may be and what to do next. */
export class LockTaken extends Error {
  override readonly name = 'LockTaken';
  /** Which lock: who tries the same one comes in turn. */
  readonly lock: string;

  constructor(message: string, lock: string) {
    super(message);
    this.lock = lock;
  }
}

/** Real ms before the lock is tried again. */
const PAUSE_MS = 20;
/** Real ms for which a call that somebody waits for tries. */
export const CALL_PATIENCE_MS = 8_000;

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
  if (row?.got !== true) throw new LockTaken(taken, `${seed} ${name}`);
}

/**
 * Runs a transaction, and again a little later when a lock that it tried was taken: it holds no connection meanwhile, and those of this
 * process that try one lock come in turn. So `run` changes nothing but the database.
 * @throws UserError when the lock was taken all the time
 */
export async function againWhenFree<T>(
  run: () => Promise<T>,
  patienceMs = CALL_PATIENCE_MS,
  pause = sleepReal,
): Promise<T> {
  const until = monotonicMs() + patienceMs;
  try {
    return await run();
  } catch (error) {
    const taken = takenOf(error);
    if (taken === undefined) throw error;
    const again = (): Promise<T> => tryUntil(run, until, pause);
    return error instanceof LockTaken ? inTurn(error, until, again) : again();
  }
}

async function tryUntil<T>(run: () => Promise<T>, until: number, pause: typeof sleepReal): Promise<T> {
  for (;;) {
    await pause(PAUSE_MS);
    try {
      return await run();
    } catch (error) {
      const taken = takenOf(error);
      if (taken === undefined) throw error;
      if (monotonicMs() >= until) throw new UserError(taken, 'LockTaken');
    }
  }
}

/** The last of each line of those that try one lock. */
const lines = new Map<string, Promise<void>>();

/** Tries once all are through who came before. @throws UserError when they are not in time */
async function inTurn<T>({ lock, message }: LockTaken, until: number, again: () => Promise<T>): Promise<T> {
  const before = lines.get(lock) ?? Promise.resolve();
  const through = Promise.withResolvers<void>();
  lines.set(lock, through.promise);
  const waiting = new AbortController();
  const late = sleepReal(Math.max(1, until - monotonicMs()), waiting.signal).then(() => 'late' as const);
  late.catch(() => undefined);
  try {
    if ((await Promise.race([before, late])) === 'late') throw new UserError(message, 'LockTaken');
    return await again();
  } finally {
    waiting.abort();
    // One that gives up lets those behind it wait for those before it.
    void before.then(() => {
      through.resolve();
      if (lines.get(lock) === through.promise) lines.delete(lock);
    });
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
