import { expect } from 'chai';
import { SERVER_POOL } from '../../pkg/mcp/server-pool.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { type Harness, startMcp } from '../fixtures/mcp/harness.ts';
import { startPostgres, type TestPostgres } from '../tools/postgres.ts';

const IMPORTS = 10;
const ROWS = Number(process.env['IMPORT_ROWS'] ?? 10_000);

/** People who are in no other file, each with a mail address and a profile. */
function file(of: number): string {
  const rows = Array.from(
    { length: ROWS },
    (_, n) =>
      `p${n}@f${of}.example,https://www.linkedin.com/in/f${of}-${n},Ann ${of} ${n},Acme ${n % 500},Head of Sales`,
  );
  return `email,linkedin url,full name,company,title\n${rows.join('\n')}\n`;
}

// The lock table of a Postgres with default settings has room for some thousands of locks of everybody: one for each identity were 20,000.
describe(`${IMPORTS} imports of ${ROWS} people with mail and profile at once, on a Postgres with default settings`, function () {
  this.timeout(1_200_000);
  let postgres: TestPostgres;
  let db: Database;
  let mcp: Harness;

  before(async () => {
    postgres = await startPostgres({ fsync: 'off', max_connections: '100' });
    const url = (await postgres.product()).appUrl;
    db = new Database({ url, applicationName: 'imports', prepare: true, ...SERVER_POOL });
    mcp = await startMcp({ db });
  });
  after(async () => {
    await mcp.stop();
    await db.close();
    await postgres.stop();
  });

  it('all succeed, and each has stored its people', async () => {
    const settings = await mcp.platform((tx) =>
      tx.rows<{ name: string; setting: string }>(
        `select name, setting from pg_settings where name in ('max_locks_per_transaction', 'max_connections') order by 1`,
      ),
    );
    expect(settings).to.deep.equal([
      { name: 'max_connections', setting: '100' },
      { name: 'max_locks_per_transaction', setting: '64' },
    ]);
    // Half of them share a workspace, and take turns.
    const workspaces = Array.from({ length: IMPORTS }, (_, n) => (n < IMPORTS / 2 ? 'shared' : `own-${n}`));
    for (const id of new Set(workspaces)) await mcp.workspace(id);
    const done = await Promise.all(
      workspaces.map(async (workspaceId, of) => {
        const client = await mcp.client((await mcp.key({ workspaceId })).plaintext);
        const answer = await client.callTool(
          { name: 'svc_import_leads_csv', arguments: { csv: file(of), idempotencyKey: `at-once-${of}` } },
          undefined,
          { timeout: 1_000_000, resetTimeoutOnProgress: true, onprogress: () => undefined },
        );
        return (
          (answer.structuredContent as { created?: number } | undefined)?.created ?? JSON.stringify(answer.content)
        );
      }),
    );
    expect(done).to.deep.equal(Array.from({ length: IMPORTS }, () => ROWS));
    const [stored] = await mcp.platform((tx) => tx.rows<{ count: number }>('select count(*)::int as count from lead'));
    expect(stored?.count).to.equal(IMPORTS * ROWS);
  });
});
