import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import { Database } from '../../../pkg/postgres/database.ts';
import { startMcp } from '../../integration/mcp/harness.ts';
import { stopTestPostgres, testPostgres } from '../../tools/postgres.ts';
import { COMPANY_MIXES, LEAD_MIXES, type Mix } from './mixes.ts';
import { SEEDED, seed } from './seed.ts';

/** Milliseconds that the 95th percentile of a page may take. Source: docs/architecture, search. */
const BOUND_MS = 50;
const ROUNDS = Number(process.env['ROUNDS'] || 20);
const SIZE = {
  shared: Number(process.env['SHARED'] ?? 1_000_000),
  privates: Number(process.env['PRIVATE'] ?? 100_000),
  companies: Number(process.env['COMPANIES'] ?? 60_000),
};

interface Result {
  tool: string;
  mix: string;
  first: Spread;
  next: Spread;
  found: number;
}
interface Spread {
  p50: number;
  p95: number;
  max: number;
}

const elapsed = (from: bigint): number => Number(process.hrtime.bigint() - from) / 1e6;

function spread(times: number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number => Math.round((sorted[Math.ceil(sorted.length * share) - 1] ?? 0) * 10) / 10;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

const database = await (await testPostgres()).product();
const client = new pg.Client({
  connectionString: database.superuserUrl,
  options: '-c search_path=outrider,app,public',
});
await client.connect();
const began = process.hrtime.bigint();
await seed(client, SIZE);
console.log(
  `seeded ${SIZE.shared} shared and ${SIZE.privates} private leads in ${Math.round(elapsed(began) / 1000)} s`,
);

const db = new Database({ url: database.appUrl, max: 4, applicationName: 'bench' });
const mcp = await startMcp({ db });
const user = await mcp.client((await mcp.key({ workspaceId: SEEDED.workspaceId })).plaintext);

/** One page; its time and its cursor. */
async function page(tool: string, input: object): Promise<{ ms: number; cursor: string | null; rows: number }> {
  const from = process.hrtime.bigint();
  const answer = (await user.callTool({ name: tool, arguments: { ...input } })) as unknown as {
    isError?: boolean;
    content: { text: string }[];
    structuredContent: { nextCursor: string | null; [rows: string]: unknown };
  };
  const ms = elapsed(from);
  if (answer.isError) throw new Error(`${tool} ${JSON.stringify(input)}: ${answer.content[0]?.text}`);
  const rows = Object.values(answer.structuredContent).find(Array.isArray) as unknown[];
  return { ms, cursor: answer.structuredContent.nextCursor, rows: rows.length };
}

/** First pages, and pages deeper and deeper behind them. */
async function measure(tool: string, { name, criteria }: Mix): Promise<Result> {
  const first: number[] = [];
  const next: number[] = [];
  let found = 0;
  let cursor: string | null = null;
  await page(tool, criteria);
  for (let round = 0; round < ROUNDS; round++) {
    const start = await page(tool, criteria);
    first.push(start.ms);
    found = start.rows;
    cursor ??= start.cursor;
    if (cursor === null) continue;
    const behind = await page(tool, { ...criteria, cursor, limit: 25 });
    next.push(behind.ms);
    cursor = behind.cursor;
  }
  return { tool, mix: name, first: spread(first), next: spread(next), found };
}

const results: Result[] = [];
for (const mix of LEAD_MIXES) results.push(await measure('svc_search_leads', mix));
for (const mix of COMPANY_MIXES) results.push(await measure('svc_search_companies', mix));
results.push(await measure('svc_list_lead_lists', { name: 'lists', criteria: {} }));
results.push(await measure('svc_get_lead_list', { name: 'a big list', criteria: { leadListId: SEEDED.bigList } }));
results.push(await measure('svc_list_campaigns', { name: 'campaigns', criteria: {} }));

for (const { tool, mix, first, next, found } of results) {
  const slow = Math.max(first.p95, next.p95) > BOUND_MS ? '  SLOW' : '';
  console.log(
    `${tool.padEnd(22)} ${mix.padEnd(34)} first p50 ${first.p50} p95 ${first.p95} ms, next p50 ${next.p50} p95 ${next.p95} ms, ${found} rows${slow}`,
  );
}
const over = results.filter(({ first, next }) => Math.max(first.p95, next.p95) > BOUND_MS);
console.log(`${results.length - over.length} of ${results.length} mixes within p95 ${BOUND_MS} ms`);
if (process.env['OUT']) {
  await writeFile(
    process.env['OUT'],
    `${JSON.stringify({ size: SIZE, rounds: ROUNDS, boundMs: BOUND_MS, results }, null, 2)}\n`,
  );
}
await mcp.stop();
await db.close();
await client.end();
await stopTestPostgres();
if (over.length > 0) process.exitCode = 1;
