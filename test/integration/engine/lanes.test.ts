import { expect } from 'chai';
import { type Bench, change, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';
import { chain, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

/** Batches grow to 1,000 runs, and two of them are left then. */
const BACKLOG = 6_000;

/** Visits of many accounts, within what each may do in a day. */
const AT_ONCE = 1_000;
const VISITS = 2_000;
const ACCOUNTS = 40;

const VIEW = { nodeType: 'network:profile_view' };
const WAIT = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 86_400_000 } };

describe('engine: a backlog', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  it('is worked on by two lanes, also when batches have grown as large as they get; each run is stepped once', async () => {
    const { ws, flow, camp, handle } = await workflowFixture(bench, chain(WAIT, WAIT));
    await change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
       select gen_random_uuid(), $1, $2, $3, gen_random_uuid(), 1, 'n0', 'waiting', i, 1, 1 from generate_series(1, ${BACKLOG}) i`,
      [ws, flow, camp],
    );
    const { engine } = handle;
    const step = engine.step.bind(engine);
    let lanes = 0;
    const besides: number[] = [];
    let done = 0;
    engine.step = async () => {
      lanes++;
      const beside = lanes;
      const worked = await step();
      lanes--;
      done += worked;
      if (worked === 1_000) besides.push(beside);
      if (done >= BACKLOG) engine.drain();
      return worked;
    };
    await engine.run();
    expect(besides, 'full batches of the largest size, some beside another').to.include(2);
    const steps = await query<{ runs: number; events: number }>(
      bench,
      `select count(distinct run_id)::int as runs, count(*)::int as events from run_event where workspace_id = $1 and kind = 'run.step_done'`,
      [ws],
    );
    expect(steps).to.deep.equal([{ runs: BACKLOG, events: BACKLOG }]);
  });

  it('of harmless effects is confirmed by the batches that follow, each effect once', async () => {
    const { ws, flow, handle, network } = await workflowFixture(bench, chain(VIEW, WAIT));
    const accounts = await Promise.all(
      Array.from({ length: ACCOUNTS }, () => addAccount(bench.app, [ws], { pacing: { maxGapSeconds: 0 } })),
    );
    await change(
      bench,
      `insert into lead (id, workspace_id, first_name, last_name, full_name, profile_id, created_at, updated_at)
       select gen_random_uuid(), $1, 'Ada', 'Test', 'Ada Test', 'p-' || g, 1, 1 from generate_series(1, ${VISITS}) g`,
      [ws],
    );
    const leads = await query<{ id: string }>(bench, 'select id from lead where workspace_id = $1', [ws]);
    // In parts, as tools do it: one statement has its time.
    for (let from = 0; from < leads.length; from += AT_ONCE) {
      const part = leads.slice(from, from + AT_ONCE).map((one) => one.id);
      await enrol(bench, ws, flow, part);
    }
    await change(
      bench,
      `update run r set account_id = ($2::text[])[1 + n.g % ${ACCOUNTS}] from (select id, row_number() over () as g from run where workspace_id = $1) n where n.id = r.id`,
      [ws, accounts],
    );
    // Without figures of both it would look at every pair.
    await change(bench, 'analyze run, lead');
    await change(
      bench,
      `insert into relation (account_id, person_id, provider_id, state)
       select r.account_id, r.person_id, 'ACo' || l.profile_id, 'none' from run r join lead l on l.id = r.lead_id where r.workspace_id = $1`,
      [ws],
    );
    const { engine } = handle;
    const step = engine.step.bind(engine);
    engine.step = async (...order) => {
      const worked = await step(...order);
      if (network.received.length >= VISITS) engine.drain();
      return worked;
    };
    await engine.run();
    expect(new Set(network.received.map((one) => one.publicId)).size).to.equal(VISITS);
    expect(network.received, 'nobody twice').to.have.length(VISITS);
    // Written by one transaction: what a run does next, and what became of its send.
    const [found] = await query<{ confirmed: number; together: number }>(
      bench,
      `select count(*)::int as confirmed, count(*) filter (where s.xmin = r.xmin)::int as together from send s join run r on r.id = s.run_id
       where s.workspace_id = $1 and s.state = 'confirmed'`,
      [ws],
    );
    expect(found?.confirmed).to.equal(VISITS);
    expect(found?.together).to.be.greaterThan(VISITS / 4);
  });
});
