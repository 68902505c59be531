import { Redis } from 'ioredis';
import { pino } from 'pino';
import { PostgresLimiter } from '../../../pkg/mcp/postgres-limiter.ts';
import { RedisLimiter } from '../../../pkg/mcp/redis-limiter.ts';
import type { Fixture } from './bench-fixture.ts';

const ROUNDS = 20;
const CALLS = 500;

/** The one round trip of a call against a bare EVALSHA (one GET), in turns; medians in microseconds. */
export async function limiterTimes(fixture: Fixture): Promise<{ limiter: number; bare: number } | undefined> {
  if (!fixture.redis) return undefined;
  const limiter = new RedisLimiter({
    url: fixture.redis.url,
    postgres: new PostgresLimiter(fixture.db),
    log: pino({ level: 'silent' }),
    onGap: () => undefined,
  });
  await limiter.ready();
  const redis = new Redis(fixture.redis.url);
  const sha = (await redis.script('LOAD', `return redis.call('GET', KEYS[1])`)) as string;
  const limits = { read: 1e9, write: 1e9, llm: 1e9, overall: 1e9 };
  const request = { keyId: 'bench', category: 'read', limits, sessionHash: null } as const;
  const times = { limiter: [] as number[], bare: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    await timed(times.limiter, () => limiter.admit(request));
    await timed(times.bare, () => redis.evalsha(sha, 1, 'bench'));
  }
  limiter.close();
  redis.disconnect();
  return { limiter: median(times.limiter), bare: median(times.bare) };
}

async function timed(times: number[], call: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < CALLS; i++) {
    const started = process.hrtime.bigint();
    await call();
    times.push(Number(process.hrtime.bigint() - started) / 1_000);
  }
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
