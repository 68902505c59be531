import { PostgresLimiter } from '../../pkg/mcp/postgres-limiter.ts';
import type { Database } from '../../pkg/postgres/database.ts';

const ROUNDS = 2_000;

/** The one round trip of a call (limits, generations, session) against a bare round trip to the same Postgres. */
export async function benchLimiter(db: Database): Promise<string[]> {
  const limiter = new PostgresLimiter(db);
  const limits = { read: 1e9, write: 1e9, llm: 1e9, overall: 2e9 };
  const request = { keyId: 'bench', category: 'read', limits, sessionHash: null } as const;
  const admit = await median(() => limiter.admit(request));
  const bare = await median(() => db.pool.query({ name: 'bare', text: 'select 1' }));
  return [
    `limiter            ${admit.toFixed(0)} us per call, ${(admit / bare).toFixed(1)} times a bare round trip (${bare.toFixed(0)} us)`,
  ];
}

/** Median in microseconds. */
async function median(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = process.hrtime.bigint();
    await call();
    times.push(Number(process.hrtime.bigint() - started) / 1_000);
  }
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}
