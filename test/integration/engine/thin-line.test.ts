import { expect } from 'chai';
import { FakeNetwork } from '../../fixtures/engine/fake-network.ts';
import { type Bench, enrol, openBench, openEngine, passTime, query } from '../../fixtures/engine/harness.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';

const HOUR = 3_600_000;

describe('the thin line of the engine', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  it('profile view, wait, connection request: each once, with budget, history and reasons', async () => {
    const network = new FakeNetwork();
    const ws = await addWorkspace(bench.app);
    const camp = await addCampaign(bench.app, ws, {});
    const account = await addAccount(bench.app, [ws]);
    const flow = await addWorkflow(bench.app, ws, camp, {
      nodes: [
        { nodeType: 'network:profile_view' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 24 * HOUR } },
        {
          nodeType: 'network:connection_request',
          config: { noteMode: 'static', noteTemplate: 'Hi {{lead:firstName}}' },
        },
      ],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
      ],
    });
    const lead = await addLead(bench.app, ws, { firstName: 'Ada' });
    const [run] = await enrol(bench, ws, flow, [lead]);
    const handle = await openEngine(bench, ws, network);
    await handle.quiet();
    expect(network.received.map((one) => one.kind)).to.deep.equal(['profile_view']);
    const [waiting] = await query<{ state: string; wait_reason: string; node_id: string; due_at: number }>(
      bench,
      'select * from run where id = $1',
      [run?.runId],
    );
    expect(waiting).to.include({ state: 'waiting', wait_reason: 'duration', node_id: 'n1' });
    expect(waiting?.due_at).to.equal(bench.clock.now() + 24 * HOUR);
    await passTime(bench, handle, 25 * HOUR, HOUR);
    expect(network.received.map((one) => [one.kind, one.text])).to.deep.equal([
      ['profile_view', null],
      ['connection_request', 'Hi Ada'],
    ]);
    const [ended] = await query<{ state: string; end_reason: string }>(bench, 'select * from run where id = $1', [
      run?.runId,
    ]);
    expect(ended?.state).to.equal('completed');
    const budgets = await query<{ action: string; used: number[]; open: number }>(
      bench,
      'select action, used, (select count(*)::int from send where settled_at is null) as open from account_budget where account_id = $1 order by action',
      [account],
    );
    expect(budgets.map((row) => [row.action, row.used.reduce((a, b) => a + b), row.open])).to.deep.equal([
      ['connection_request', 1, 0],
      ['connection_request_with_note', 1, 0],
      ['profile_view', 1, 0],
    ]);
    const events = await query<{ kind: string; node_id: string; data: { outcome?: string } }>(
      bench,
      'select kind, node_id, data from run_event where run_id = $1 order by seq',
      [run?.runId],
    );
    expect(events.map((event) => [event.kind, event.node_id, event.data.outcome])).to.deep.equal([
      ['run.started', null, undefined],
      ['run.step_done', 'n0', 'done'],
      ['run.step_done', 'n1', 'next'],
      ['connection.requested', 'n2', undefined],
      ['run.step_done', 'n2', 'sent'],
      ['run.completed', 'n2', undefined],
    ]);
  });
});
