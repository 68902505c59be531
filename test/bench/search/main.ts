import { writeFile } from 'node:fs/promises';
import { SignedCursors } from '../../../pkg/mcp/signed-cursors.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { startMcp } from '../../fixtures/mcp/harness.ts';
import { keptDatabase } from './kept-database.ts';
import { COMPANY_MIXES, LEAD_MIXES, LIST_MIXES, type Mix } from './mixes.ts';
import { idAt, SEEDED } from './seed.ts';

/** Milliseconds that the 95th percentile of a page may take. Source: docs/architecture, search. */
const BOUND_MS = 50;
const ROUNDS = Number(process.env['ROUNDS'] || 20);
/** Only mixes whose name this expression finds. */
const ONLY = new RegExp(process.env['ONLY'] ?? '', 'i');
const SIZE = {
  shared: Number(process.env['SHARED'] ?? 1_000_000),
  privates: Number(process.env['PRIVATE'] ?? 100_000),
  companies: Number(process.env['COMPANIES'] ?? 60_000),
};

interface Spread {
  p50: number;
  p95: number;
  max: number;
}
interface Result {
  tool: string;
  mix: string;
  /** First pages, pages one behind the other, and pages behind cursors all over the data. */
  pages: { first: Spread; next: Spread; deep: Spread };
  found: number;
}

const elapsed = (from: bigint): number => Number(process.hrtime.bigint() - from) / 1e6;

function spread(times: number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number => Math.round((sorted[Math.ceil(sorted.length * share) - 1] ?? 0) * 10) / 10;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

const began = process.hrtime.bigint();
const database = await keptDatabase(SIZE);
console.log(
  `${SIZE.shared} shared and ${SIZE.privates} private leads ${database.fresh ? 'made' : 'kept from the last run'}, ready in ${Math.round(elapsed(began) / 1000)} s`,
);
const db = new Database({ url: database.appUrl, max: 4, applicationName: 'bench' });
const mcp = await startMcp({ db });
const key = await mcp.key({ workspaceId: SEEDED.workspaceId });
const user = await mcp.client(key.plaintext);
const cursors = new SignedCursors('a-cursor-secret-of-tests', key.apiKeyId);

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

async function measure(tool: string, { name, criteria }: Mix, deepOf: (round: number) => string | undefined) {
  const times = { first: [] as number[], next: [] as number[], deep: [] as number[] };
  let found = 0;
  let cursor: string | null = null;
  await page(tool, criteria);
  for (let round = 0; round < ROUNDS; round++) {
    const start = await page(tool, criteria);
    times.first.push(start.ms);
    found = start.rows;
    const deep = deepOf(round);
    if (deep !== undefined) times.deep.push((await page(tool, { ...criteria, cursor: deep })).ms);
    cursor ??= start.cursor;
    if (cursor === null) continue;
    const behind = await page(tool, { ...criteria, cursor });
    times.next.push(behind.ms);
    cursor = behind.cursor;
  }
  const pages = { first: spread(times.first), next: spread(times.next), deep: spread(times.deep) };
  const result: Result = { tool, mix: name, pages, found };
  print(result);
  results.push(result);
}

const worst = ({ pages }: Result): number => Math.max(pages.first.p95, pages.next.p95, pages.deep.p95);

function print(result: Result): void {
  const { tool, mix, pages, found } = result;
  const told = Object.entries(pages).map(([kind, { p50, p95 }]) => `${kind} p50 ${p50} p95 ${p95}`);
  const slow = worst(result) > BOUND_MS ? '  SLOW' : '';
  console.log(`${tool.padEnd(24)} ${mix.padEnd(30)} ${told.join(', ')} ms, ${found} rows${slow}`);
}

const results: Result[] = [];
const wanted = <M extends Mix>(mixes: readonly M[]): M[] => mixes.filter(({ name }) => ONLY.test(name));
/** Cursors from the newest to the oldest tenth of all ids of a kind. */
const deepIn =
  (tool: string, filters: object, ids: number) =>
  (round: number): string =>
    cursors.encode(tool, { ...filters, workspaceId: SEEDED.workspaceId }, [
      idAt(Math.round((ids * (round + 0.5)) / ROUNDS)),
    ]);
for (const mix of wanted(LEAD_MIXES)) {
  const filters = { visibility: 'all', includeSuppressed: false, ...mix.criteria };
  await measure('svc_search_leads', mix, deepIn('svc_search_leads', filters, SIZE.shared + SIZE.privates));
}
for (const mix of wanted(COMPANY_MIXES))
  await measure('svc_search_companies', mix, deepIn('svc_search_companies', mix.criteria, SIZE.companies));
for (const mix of wanted(LIST_MIXES)) await measure(mix.tool, mix, () => undefined);

const over = results.filter((result) => worst(result) > BOUND_MS);
console.log(`${results.length - over.length} of ${results.length} mixes within p95 ${BOUND_MS} ms`);
for (const result of over) print(result);
if (process.env['OUT']) {
  await writeFile(
    process.env['OUT'],
    `${JSON.stringify({ size: SIZE, rounds: ROUNDS, boundMs: BOUND_MS, results }, null, 2)}\n`,
  );
}
await mcp.stop();
await db.close();
await database.stop();
if (over.length > 0) process.exitCode = 1;
