/**
 * Whether the database ended a transaction to break a circle of waits: nothing of it was done, and the same may succeed at once.
 * Source: PostgreSQL, Appendix A (40P01).
 */
export function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01';
}
