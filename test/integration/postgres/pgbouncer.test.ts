import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { FakeNetwork } from '../../fixtures/engine/fake-network.ts';
import { type Bench, enrol, openBench, openEngine, passTime } from '../../fixtures/engine/harness.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import { startBouncer, type TestBouncer } from '../../tools/pgbouncer.ts';

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
