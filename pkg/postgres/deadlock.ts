/**
 * Whether the database ended a transaction to break a circle of waits: nothing of it was done, and the same may succeed at once.
 * Source: PostgreSQL, Appendix A (40P01).
 */
export function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01';
}

/** Times that a transaction is tried whose like the database ends again and again. */
const TRIES = 5;

/**
 * Runs a transaction, and again when the database ended it to break a circle of waits: nothing of it was done. So `work` changes
 * nothing but the database.
 */
export async function againAfterDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!isDeadlock(error) || attempt >= TRIES) throw error;
    }
  }
}
