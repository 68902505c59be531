import { sleepReal } from '../base/clock.ts';

/**
 * Whether the database ended a transaction to break a circle of waits: nothing of it was done, and the same may succeed at once.
 * Source: PostgreSQL, Appendix A (40P01).
 */
export function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01';
}

/** Times that a transaction is tried whose like the database ends again and again. */
const TRIES = 5;
/** How long the first pause lasts, each further one longer by as much. */
const PAUSE_MS = 20;

/**
 * Runs a transaction, and again when the database ended it to break a circle of waits: nothing of it was done. So `work` changes
 * nothing but the database. It lets the other one go first: at once it would take the same row again before that one has woken, and
 * both would meet as before.
 */
export async function againAfterDeadlock<T>(run: () => Promise<T>, pause = sleepReal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!isDeadlock(error) || attempt >= TRIES) throw error;
    }
    await pause(PAUSE_MS * attempt);
  }
}
