import { writeFileSync } from 'node:fs';
import { Database } from '../../pkg/postgres/database.ts';
import { startMcp } from '../fixtures/mcp/harness.ts';
import { startPostgres } from '../tools/postgres.ts';

/** Seconds that a file of the greatest size may take. */
const LIMIT_S = 20;
const ROWS = 10_000;
/** The greatest CSV that the tool takes, less some room for the last row. */
const BYTES = 5_242_880 - 1_000;

/** `make bench-import`: 5 MB of CSV as a client sends it, new and again; OUT=file writes the figures; fails above the limit. */
const postgres = await startPostgres();
try {
  const db = new Database({ url: (await postgres.product()).appUrl, max: 4, applicationName: 'bench' });
  const mcp = await startMcp({ db });
  await mcp.workspace('import');
  const client = await mcp.client((await mcp.key({ workspaceId: 'import' })).plaintext);
  const csv = file();
  const runs = [];
  for (const [what, more] of [
    ['new', {}],
    ['the same again', {}],
    ['overwritten', { onDuplicate: 'overwrite' }],
  ] as const) {
    let told = 0;
    const from = process.hrtime.bigint();
    const answer = await client.callTool(
      { name: 'svc_import_leads_csv', arguments: { csv, ...more, idempotencyKey: what } },
      undefined,
      {
        onprogress: () => told++,
        timeout: 120_000,
      },
    );
    const seconds = Number(process.hrtime.bigint() - from) / 1e9;
    if (answer.isError) throw new Error(JSON.stringify(answer.content));
    const { created, updated, skipped } = answer.structuredContent as Record<string, number>;
    runs.push({ what, seconds, told, created, updated, skipped });
    console.log(
      `import ${what.padEnd(16)} ${(csv.length / 1e6).toFixed(1)} MB, ${ROWS} rows in ${seconds.toFixed(1)} s (limit ${LIMIT_S} s), ${told} progress notes, ${created} created, ${updated} updated, ${skipped} skipped`,
    );
  }
  await mcp.stop();
  await db.close();
  const out = process.env['OUT'];
  if (out)
    writeFileSync(out, `${JSON.stringify({ bytes: csv.length, rows: ROWS, limitSeconds: LIMIT_S, runs }, null, 2)}\n`);
  if (runs.some((run) => run.seconds > LIMIT_S || run.told === 0)) process.exitCode = 1;
} finally {
  await postgres.stop();
}

/** People of 2,000 companies, each row padded by what a spreadsheet carries along. */
function file(): string {
  const header = 'First Name,Last Name,Email,Company,LinkedIn URL,Title,City,About\n';
  const about = 'x'.repeat(Math.floor((BYTES - header.length) / ROWS) - 130);
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const company = n % 2_000;
    return `Person${n},Last${n},p${n}@c${company}.example,Acme ${company} GmbH,https://www.linkedin.com/in/person-${n},Head of Sales,Berlin,${about}`;
  });
  return `${header}${rows.join('\n')}\n`;
}
