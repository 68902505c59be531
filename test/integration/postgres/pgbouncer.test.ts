import { expect } from 'chai';
import pg from 'pg';
import { Database } from '../../../pkg/postgres/database.ts';
import { FakeNetwork } from '../../fixtures/engine/fake-network.ts';
import { type Bench, enrol, openBench, openEngine, passTime } from '../../fixtures/engine/harness.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import { startBouncer, type TestBouncer } from '../../tools/pgbouncer.ts';
import { testPostgres } from '../../tools/postgres.ts';

const HOUR = 3_600_000;
const GRAPH = {
  nodes: [
    { nodeType: 'network:profile_view' },
    { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
    { nodeType: 'network:connection_request', config: { noteMode: 'static', noteTemplate: 'Hi {{lead:firstName}}' } },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
  ],
};

describe('executors behind PgBouncer in transaction mode', function () {
  this.timeout(60_000);
  let bench: Bench;
  let bouncer: TestBouncer | undefined;
  const opened: { close(): Promise<void> }[] = [];

  before(async function () {
    bench = await openBench();
    opened.push(bench);
    bouncer = await startBouncer(bench.executorUrl);
    if (!bouncer) {
      console.log('    not run: no PgBouncer on this machine, and its package can not be fetched');
      return this.skip();
    }
    bench = { ...bench, executor: new Database({ url: bouncer.url, max: 4, applicationName: 'test', pooled: true }) };
    opened.push(bench.executor);
  });
  after(async () => {
    for (const one of opened.reverse()) await one.close();
    await bouncer?.stop();
  });

  it('two workspaces that share one server connection each do their work once and see nothing of each other', async () => {
    const teams = [];
    for (const name of ['Ada', 'Bob']) {
      const workspace = await addWorkspace(bench.app);
      const campaign = await addCampaign(bench.app, workspace, {});
      await addAccount(bench.app, [workspace]);
      const workflow = await addWorkflow(bench.app, workspace, campaign, GRAPH);
      await enrol(bench, workspace, workflow, [await addLead(bench.app, workspace, { firstName: name })]);
      const network = new FakeNetwork();
      teams.push({ name, workspace, network, handle: await openEngine(bench, workspace, network) });
    }
    await Promise.all(teams.map(({ handle }) => handle.quiet()));
    for (const { handle } of teams) await passTime(bench, handle, 2 * HOUR, HOUR);
    for (const { name, workspace, network, handle } of teams) {
      expect(network.received.map((one) => [one.kind, one.text])).to.deep.equal([
        ['profile_view', null],
        ['connection_request', `Hi ${name}`],
      ]);
      const seen = await handle.deps.claim.tx((tx) => tx.rows('select distinct workspace_id from run'));
      expect(seen).to.deep.equal([{ workspace_id: workspace }]);
    }
  });

  it('what a transaction may see ends with it: the connection proves nothing to the one who has it next', async () => {
    const [{ count } = { count: -1 }] = await bench.executor.tx({ kind: 'none' }, (tx) =>
      tx.rows<{ count: number }>('select count(*) from run'),
    );
    expect(count).to.equal(0);
    expect(await bench.executor.read({ kind: 'none' }, (tx) => tx.rows('select 1 as one'))).to.deep.equal([{ one: 1 }]);
    const refused = await bench.executor
      .read({ kind: 'none' }, (tx) => tx.exec('create table written (id int)'))
      .catch((error: Error) => error.message);
    expect(refused).to.match(/read-only transaction/);
  });
});

describe('operator and MCP server behind PgBouncer in session mode', function () {
  this.timeout(60_000);
  let appUrl: string;
  const bouncers: TestBouncer[] = [];
  const bounced = async (otherwise: Record<string, string | number>): Promise<string | undefined> => {
    const bouncer = await startBouncer(appUrl, { pool_mode: 'session', default_pool_size: 5, ...otherwise });
    if (bouncer) bouncers.push(bouncer);
    return bouncer?.url;
  };

  before(async () => {
    const database = await (await testPostgres()).product();
    appUrl = database.appUrl;
    const superuser = new pg.Client({ connectionString: database.superuserUrl });
    await superuser.connect();
    for (const one of [
      'search_path = nowhere',
      'default_transaction_read_only = on',
      'array_nulls = off',
      `timezone = 'Asia/Tokyo'`,
    ])
      await superuser.query(`alter database ${database.name} set ${one}`);
    await superuser.end();
  });
  afterEach(async () => {
    for (const bouncer of bouncers.splice(0)) await bouncer.stop();
  });

  it('runs with its own settings where the pooler passes over startup options', async function () {
    const url = await bounced({ ignore_startup_parameters: 'options' });
    if (url === undefined) return this.skip();
    const heard: string[] = [];
    const listen = { channel: 'test_news', heard: (news: string) => void heard.push(news), onGap: () => undefined };
    const db = new Database({ url, max: 2, applicationName: 'test', readPipes: 1, listen });
    try {
      const read = `select current_setting('search_path') as path, current_setting('array_nulls') as nulls, current_setting('TimeZone') as zone`;
      const own = { path: 'outrider, app, public', nulls: 'on', zone: 'UTC' };
      expect(await db.read({ kind: 'platform' }, (tx) => tx.row(read))).to.deep.equal(own);
      await db.tx({ kind: 'platform' }, async (tx) => {
        expect(await tx.row(read)).to.deep.equal(own);
        await tx.exec(
          `insert into send_freeze (id, scope, reason, frozen_by, since) values (gen_random_uuid(), 'platform', 'r', 'ann', 1)`,
        );
        await tx.exec(`select pg_notify('test_news', 'written')`);
      });
      expect(heard).to.deep.equal(['written']);
    } finally {
      await db.close();
    }
  });

  it('says what to set where the pooler refuses them', async function () {
    const url = await bounced({});
    if (url === undefined) return this.skip();
    const db = new Database({ url, max: 1, applicationName: 'test' });
    const refused = await db
      .tx({ kind: 'platform' }, (tx) => tx.row('select 1'))
      .catch((error: Error) => error.message);
    await db.close();
    expect(refused).to.match(/pool_mode = session and ignore_startup_parameters = options.*docs\/install\.md/);
  });
});
