import { writeFileSync } from 'node:fs';
import { SERVER_POOL } from '../../../pkg/mcp/server-pool.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { startMcp } from '../../fixtures/mcp/harness.ts';
import { HARMS } from '../../fixtures/neighbours/harms.ts';
import { isAnswered, type Neighbour, usualCalls } from '../../fixtures/neighbours/neighbour.ts';
import { startPostgres } from '../../tools/postgres.ts';
import { hostileMails } from './hostile-mails.ts';
import type { Measured } from './measured.ts';

const CALLS = 200;

/** `make bench-neighbours`: 200 calls of one tenant, alone and while another one does each harm; OUT=file writes the figures. */
const postgres = await startPostgres();
const rows: Measured[] = [];
try {
  const url = (await postgres.product()).appUrl;
  const db = new Database({ url, applicationName: 'bench', prepare: true, ...SERVER_POOL });
  const mcp = await startMcp({ db });
  await mcp.workspace('quiet');
  const quiet: Neighbour = { url: mcp.url, key: (await mcp.key({ workspaceId: 'quiet' })).plaintext };
  await usualCalls(quiet, CALLS);
  rows.push(await measured('quiet', quiet));
  for (const [index, harm] of HARMS.entries()) {
    const workspaceId = `harm-${index}`;
    await mcp.workspace(workspaceId);
    const key = (await mcp.key({ workspaceId })).plaintext;
    const end = await harm.begin({ url: mcp.url, key, workspaceId, databaseUrl: url });
    rows.push(await measured(harm.name, quiet));
    await end();
  }
  await mcp.stop();
  await db.close();
  rows.push(...(await hostileMails(CALLS)));
} finally {
  await postgres.stop();
}
for (const { name, answered, p50, p99 } of rows)
  console.log(
    `${name.padEnd(32)} ${answered} of ${CALLS} answered, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  );
const out = process.env['OUT'];
if (out) writeFileSync(out, `${JSON.stringify(rows, null, 2)}\n`);
if (rows.some(({ answered }) => answered < CALLS)) process.exitCode = 1;

async function measured(name: string, neighbour: Neighbour): Promise<Measured> {
  const called = await usualCalls(neighbour, CALLS);
  const times = called.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { name, answered: called.filter(isAnswered).length, p50: at(0.5), p99: at(0.99) };
}
