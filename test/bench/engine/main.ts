import { writeFile } from 'node:fs/promises';
import { startPostgres, type TestDatabase } from '../../tools/postgres.ts';
import { startRedis } from '../../tools/redis.ts';
import { bareRound } from './bare-round.ts';
import { fill } from './fill.ts';
import { idleRss } from './idle.ts';
import { latencyRound } from './latency.ts';
import { neighboursRound } from './neighbours.ts';
import { PEERS, type Peer, peerRound } from './peer-round.ts';
import { ProductExecutor } from './product.ts';
import { POSTGRES, type Shape } from './settings.ts';
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
const table = new Table();

/** The product's rows of one shape: rounds, and for plain steps one that is held. */
async function product(urls: TestDatabase, shape: Shape, runs: number, row: string, held: boolean): Promise<void> {
  const filled = await fill(urls.superuserUrl, shape, runs, {}, { met: shape !== 'plain' });
  const executor = await ProductExecutor.start(urls, filled);
  for (let round = 0; round < ROUNDS; round++) {
    const rates = await executor.round(ROUND_MS, WARM_MS);
    table.add(row, shape === 'effects' ? rates.effects : rates.steps, '1/s');
    table.add(`${row}_rss_mb`, rates.rssMb, 'MB');
    table.add(`${row}_cpu_us`, (rates.cpu * 1e6) / rates.steps, 'us');
  }
  if (held) table.add(`${row}_held`, (await executor.round(HELD_MS, WARM_MS)).steps, '1/s');
  const { total } = await executor.stop();
  table.check(`${row}: every step counted is in the history`, await historyOf(urls, filled.workspaceId), total);
}

/** Few runs come due again hundreds of times in a round, and the clock's small errors add up: each round begins with new ones. */
async function tenThousand(urls: TestDatabase): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const filled = await fill(urls.superuserUrl, 'plain', 10_000, { workspaceId: `bench-plain-10k-${round}` });
    const executor = await ProductExecutor.start(urls, filled);
    table.add('plain_steps_10k', (await executor.round(ROUND_MS, WARM_MS)).steps, '1/s');
    await executor.stop();
  }
}

async function historyOf(urls: TestDatabase, workspaceId: string): Promise<number> {
  const { Client } = (await import('pg')).default;
  const client = new Client({ connectionString: urls.superuserUrl });
  await client.connect();
  const { rows } = await client.query(
    `select count(*)::int as steps from outrider.run_event where workspace_id = $1 and kind = 'run.step_done'`,
    [workspaceId],
  );
  await client.end();
  return rows[0].steps;
}

const postgres = await startPostgres(POSTGRES);
const redis = await startRedis();
try {
  const urls = await postgres.product();
  for (let round = 0; round < Math.min(3, ROUNDS); round++) {
    for (const peer of Object.keys(PEERS) as Peer[]) {
      if (!wanted(peer) || (peer === 'bullmq' && !redis)) continue;
      const store = { url: await postgres.database(), redisPort: redis?.port ?? 0 };
      table.add(peer, await peerRound(peer, store, RUNS), '1/s');
      await redis?.kill();
      await redis?.restart();
    }
    for (const [row, shape, lean] of [
      ['bare_lean', 'plain', true],
      ['bare_plain', 'plain', false],
      ['bare_mixed', 'mixed', false],
      ['bare_effects', 'effects', false],
    ] as const) {
      if (!wanted(row)) continue;
      const rates = await bareRound(urls, { shape, lean, runs: RUNS, ms: ROUND_MS, warmMs: WARM_MS });
      table.add(row, shape === 'effects' ? rates.effects : rates.steps, '1/s');
    }
  }
  if (wanted('plain_steps_10k')) await tenThousand(urls);
  if (wanted('plain_steps')) await product(urls, 'plain', RUNS, 'plain_steps', HELD_MS > 0);
  if (wanted('mixed_steps')) await product(urls, 'mixed', RUNS, 'mixed_steps', false);
  if (wanted('effects')) await product(urls, 'effects', RUNS, 'effects', false);
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
