import { expect } from 'chai';
import { SERVER_POOL } from '../../../pkg/mcp/server-pool.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { HARMS } from '../../fixtures/neighbours/harms.ts';
import { isAnswered, type Neighbour, usualCalls } from '../../fixtures/neighbours/neighbour.ts';
import { testPostgres } from '../../tools/postgres.ts';

const CALLS = 200;

// Source: the connections are those of cmd/mcp-server; `make bench-neighbours` prints how long the calls take.
describe('a tenant cannot stop another one', function () {
  this.timeout(240_000);
  let db: Database;
  let mcp: Harness;
  let url: string;
  let quiet: Neighbour;

  before(async () => {
    ({ appUrl: url } = await (await testPostgres()).product());
    db = new Database({ url, applicationName: 'neighbours', prepare: true, ...SERVER_POOL });
    mcp = await startMcp({ db });
    await mcp.workspace('quiet');
    quiet = { url: mcp.url, key: (await mcp.key({ workspaceId: 'quiet' })).plaintext };
  });
  after(async () => {
    await mcp.stop();
    await db.close();
  });

  for (const [index, harm] of HARMS.entries()) {
    it(`by ${harm.name}: ${CALLS} calls of another are answered meanwhile`, async () => {
      const workspaceId = `harm-${index}`;
      await mcp.workspace(workspaceId);
      const key = (await mcp.key({ workspaceId })).plaintext;
      const end = await harm.begin({ url: mcp.url, key, workspaceId, databaseUrl: url });
      const called = await usualCalls(quiet, CALLS);
      const harmed = await end();
      const refused = called.filter((one) => !isAnswered(one)).map(({ text }) => text);
      expect(refused, refused[0] ?? '').to.deep.equal([]);
      expect(called).to.have.length(CALLS);
      expect(db.load().waiting, 'who waits for a connection').to.equal(0);
      if (harm.name === 'a lock that is held')
        expect(harmed.map(({ text }) => text).join(' ')).to.contain('An import is running in this workspace');
      if (harm.name === 'hostile files')
        expect(
          harmed.map(({ status }) => status),
          'none is turned away before it is read',
        ).to.not.include(413);
    });
  }
});
