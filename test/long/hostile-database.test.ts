import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { EmbeddedPostgres } from '../../pkg/standalone/postgres/embedded-postgres.ts';
import { HOSTILE } from '../fixtures/hostile-settings.ts';
import { RunningHome, until } from '../fixtures/standalone/running-home.ts';

/** Of a server as a whole: they hold for every database and every role that is made later, until its own say otherwise. */
async function makeHostile(folder: string): Promise<void> {
  const server = await EmbeddedPostgres.start({ folder });
  const client = new pg.Client({ connectionString: server.superuserUrl() });
  await client.connect();
  for (const [name, value] of Object.entries(HOSTILE)) await client.query(`alter system set ${name} = '${value}'`);
  await client.end();
  await server.stop();
}

describe('a home whose database has hostile defaults', function () {
  this.timeout(240_000);
  let home: RunningHome;

  before(async () => {
    home = await RunningHome.make(undefined, { DEMO: 'on' });
    await mkdir(home.folder, { recursive: true });
    await makeHostile(join(home.folder, 'postgres'));
  });
  after(() => home.remove());

  it('plays the whole demo: campaign, drafts, replies, report', async () => {
    await home.start();
    const { demo } = await until(
      'the demo is over',
      async () => {
        const connection = await home.connection();
        return ['done', 'failed'].includes(connection.demo.state) && connection;
      },
      200_000,
    );
    expect(demo.state, JSON.stringify(demo.summary)).to.equal('done');
    const { ledger } = demo.summary as { ledger: object };
    expect(ledger, 'nothing is lost, nothing twice').to.include({ missing: 0, double: 0 });
    const { output } = home.running();
    expect(output(), 'no fault on the way').to.not.match(/"level":(50|"error")/);
  });
});
