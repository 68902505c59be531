import { writeFile } from 'node:fs/promises';
import { startPostgres, type TestDatabase } from '../../tools/postgres.ts';
import { startRedis } from '../../tools/redis.ts';
import { fill } from './fill.ts';
import { idleRss } from './idle.ts';
import { inTurn } from './in-turn.ts';
import { latencyRound } from './latency.ts';
import { neighboursRound } from './neighbours.ts';
import { PeerProgram } from './peer-program.ts';
import { ProductExecutor } from './product.ts';
import { POSTGRES } from './settings.ts';
import { Table } from './table.ts';

const number = (name: string, normal: number): number => Number(process.env[name] || normal);
/** Runs that wait, rounds per row, ms per round and of the round that is held; smaller ones give a quick look. */
const RUNS = number('RUNS', 1_000_000);
const ROUNDS = number('ROUNDS', 5);
const ROUND_MS = number('ROUND_MS', 8_000);
const HELD_MS = number('HELD_MS', 120_000);
const ONLY = (process.env['ONLY'] || undefined)?.split(',');
const WARM_MS = 3_000;

const wanted = (row: string): boolean => ONLY === undefined || ONLY.includes(row);
const table = new Table((line) => console.error(line));

/** Few runs come due again hundreds of times in a round, and the clock's small errors add up: each round begins with new ones. */
async function tenThousand(urls: TestDatabase): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const filled = await fill(urls.superuserUrl, 'plain', 10_000, { workspaceId: `bench-plain-10k-${round}` });
    const executor = await ProductExecutor.start(urls, filled);
    table.add('plain_steps_10k', (await executor.round(ROUND_MS, WARM_MS)).steps, '1/s');
    await executor.stop();
  }
}

/** Rounds of the peers that are far behind, each on a fresh store that is gone after it. */
async function slowPeers(): Promise<void> {
  for (const peer of ['bullmq', 'graphile', 'dbos'] as const) {
    if (!wanted(peer) || (peer === 'bullmq' && !redis)) continue;
    const url = await postgres.database();
    const program = await PeerProgram.start(peer, { url, redisPort: redis?.port ?? 0 }, RUNS);
    table.add(peer, await program.round(), '1/s');
    await program.stop();
    await postgres.drop(url);
    await redis?.kill();
    await redis?.restart();
  }
}

const postgres = await startPostgres(POSTGRES);
const redis = await startRedis();
try {
  const urls = await postgres.product();
  for (let round = 0; round < Math.min(3, ROUNDS); round++) await slowPeers();
  if (wanted('plain_steps_10k')) await tenThousand(urls);
  const rounds = { postgres, urls, table, wanted, runs: RUNS, rounds: ROUNDS, ms: ROUND_MS, warmMs: WARM_MS };
  for (const shape of ['plain', 'mixed', 'effects'] as const) await inTurn({ ...rounds, shape, heldMs: HELD_MS });
  if (wanted('latency')) {
    for (const over of ['process', 'http'] as const) {
      const { p50, p99, earliest, effects, expected } = await latencyRound(urls, over);
      const row = over === 'process' ? 'latency' : 'latency_http';
      table.add(`${row}_p50_ms`, p50, 'ms');
      table.add(`${row}_p99_ms`, p99, 'ms');
      table.hold(`${row}: nothing leaves before it is due (${earliest} ms)`, earliest >= 0);
      table.hold(`${row}: all effects were seen (${effects})`, effects === expected);
    }
  }
  if (wanted('neighbours')) await neighboursRound(urls, RUNS, 2 * ROUND_MS, table);
  if (wanted('rss_idle_mb')) {
    const idle = await fill(urls.superuserUrl, 'plain', 10);
    table.add('rss_idle_mb', await idleRss(urls, idle.workspaceId), 'MB');
  }
  console.log(table.text());
  if (process.env['OUT']) await writeFile(process.env['OUT'], `${JSON.stringify(table.rows(), null, 1)}\n`);
} finally {
  await postgres.stop();
  await redis?.stop();
}
if (!table.sound) process.exitCode = 1;
