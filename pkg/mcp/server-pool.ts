import type { DatabaseOptions } from '../postgres/database.ts';

/**
 * The connections of a server, and what one tenant may hold of them: four at their bound leave all others four, and each transaction of a
 * tenant waits two seconds for a lock at most before it gives its connection back and is made again.
 */
export const SERVER_POOL = {
  max: 16,
  readPipes: 4,
  shares: { perWorkspace: 3, perCaller: 4, waiting: 100, patienceMs: 10_000 },
  lockTimeoutMs: 2_000,
} as const satisfies Partial<DatabaseOptions>;
