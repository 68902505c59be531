import { expect } from 'chai';
import { dequeueLaneOf } from '../../../pkg/store/runs/dequeue-lane.ts';
import { dequeue } from '../../../pkg/store/runs/runs.ts';
import { type Bench, change, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import { chain, lead, message, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

const NEIGHBOURS = 9;
const BACKLOG = 3_000;

describe('engine: neighbours on one database', function () {
  this.timeout(120_000);
  let bench: Bench;

  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  it('a workspace with a backlog holds a batch open, and nine others claim, send and finish meanwhile', async () => {
    const big = await workflowFixture(bench, chain({ nodeType: 'flow:end' }));
    await change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
       select gen_random_uuid(), $1, $2, $3, gen_random_uuid(), 1, 'n0', 'waiting', i, 1, 1 from generate_series(1, ${BACKLOG}) i`,
      [big.ws, big.flow, big.camp],
    );
    const others = await Promise.all(
      Array.from({ length: NEIGHBOURS }, () => workflowFixture(bench, chain(message()))),
    );
    for (const other of others) await enrol(bench, other.ws, other.flow, [(await lead(bench, other)).leadId]);
    const held = await big.handle.deps.claim.tx(
      async (tx) => {
        const runs = await dequeue(tx, bench.clock.now(), 2_000, []);
        for (const other of others) await other.handle.quiet();
        return runs.length;
      },
      { lookups: true },
    );
    expect(held).to.equal(2_000);
    expect(others.map((other) => other.network.received.length)).to.deep.equal(Array(NEIGHBOURS).fill(1));
    const done = await query<{ n: number }>(
      bench,
      `select count(*)::int as n from run where state = 'completed' and workspace_id = any ($1)`,
      [others.map((other) => other.ws)],
    );
    expect(done[0]?.n).to.equal(NEIGHBOURS);
  });

  it('a run that one lane holds is skipped by the other: the oldest go to one of them each', async () => {
    const at = await workflowFixture(bench, chain({ nodeType: 'flow:end' }));
    await change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
       select gen_random_uuid(), $1, $2, $3, gen_random_uuid(), 1, 'n0', 'waiting', i, 1, 1 from generate_series(1, 30) i`,
      [at.ws, at.flow, at.camp],
    );
    const { claim } = at.handle.deps;
    const [first, second] = await claim.tx(async (one) => {
      const mine = await dequeue(one, bench.clock.now(), 10, []);
      const theirs = await claim.tx((two) => dequeue(two, bench.clock.now(), 10, []), { lookups: true });
      return [mine, theirs];
    });
    expect(first?.map((run) => run.dueAt)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(second?.map((run) => run.dueAt)).to.deep.equal([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  });

  it('two lanes claim accounts of their own: no run in both, none in neither, one without an account in the first', async () => {
    const at = await workflowFixture(bench, chain({ nodeType: 'flow:end' }));
    await change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at, account_id)
       select gen_random_uuid(), $1, $2, $3, gen_random_uuid(), 1, 'n0', 'waiting', i, 1, 1, case when i > 10 then gen_random_uuid() end from generate_series(1, 200) i`,
      [at.ws, at.flow, at.camp],
    );
    const { claim } = at.handle.deps;
    const of = (lane: 0 | 1) => claim.tx((tx) => dequeue(tx, bench.clock.now(), 500, [], lane), { lookups: true });
    const [first, second] = [await of(0), await of(1)];
    expect(first.length + second.length).to.equal(200);
    expect(new Set([...first, ...second].map((run) => run.id)).size).to.equal(200);
    expect(new Set(first.map((run) => dequeueLaneOf(run.accountId)))).to.deep.equal(new Set([0]));
    expect(new Set(second.map((run) => dequeueLaneOf(run.accountId)))).to.deep.equal(new Set([1]));
    expect(first.filter((run) => run.accountId === null)).to.have.length(10);
  });
});
