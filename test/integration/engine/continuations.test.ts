import { expect } from 'chai';
import { recoverSends } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, change, enrol, openBench, openEngine, query } from '../../fixtures/engine/harness.ts';
import { chain, HOUR, lead, type WorkflowFixture, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

const VIEW = { nodeType: 'network:profile_view' };
const WAIT = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 24 * HOUR } };

describe('runs whose send was just settled', () => {
  let bench: Bench;
  let at: WorkflowFixture;
  beforeEach(async () => {
    bench = await openBench();
    at = await workflowFixture(bench, chain(VIEW, WAIT));
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    // Viewed and confirmed; nobody has gone on with the run yet.
    expect(await at.handle.engine.step()).to.equal(1);
    await at.handle.engine.settle();
    expect(await query(bench, 'select state from send')).to.deep.equal([{ state: 'confirmed' }]);
    expect(await standing(), 'the settlement leaves the run alone').to.include({ node: 'n0', due: false });
  });
  afterEach(() => bench.close());

  async function standing(): Promise<{ node: string; due: boolean; state: string }> {
    const [run] = await query<{ node: string; due: boolean; state: string }>(
      bench,
      'select node_id as node, coalesce(due_at, 1e15) <= $1 as due, state from run',
      [bench.clock.now()],
    );
    if (!run) throw new Error('no run');
    return run;
  }

  it('go on in the next batch', async () => {
    expect(await at.handle.engine.step()).to.equal(1);
    expect((await standing()).node).to.equal('n1');
    expect(await at.handle.engine.step(), 'once').to.equal(0);
  });

  it('are found at once by who takes over, when their executor ended before it went on with them', async () => {
    const heir = await openEngine(bench, at.ws, at.network);
    const found = await heir.deps.claim.tx((tx) => recoverSends(tx, bench.clock.now(), 500));
    expect(found).to.deep.equal({ cancelled: 0, unknown: 0 });
    expect((await standing()).due).to.equal(true);
    expect(await heir.quiet()).to.equal(1);
    expect((await standing()).node).to.equal('n1');
    expect(
      at.network.received.map((one) => one.kind),
      'viewed once',
    ).to.deep.equal(['profile_view']);
  });

  it('come due within a minute of their claim, even if nobody knows of them', async () => {
    const other = await openEngine(bench, at.ws, at.network);
    expect(await other.quiet()).to.equal(0);
    await bench.clock.advance(60_000);
    expect(await other.quiet()).to.equal(1);
    expect((await standing()).node).to.equal('n1');
  });

  for (const [what, changed] of [
    ['paused', "state = 'paused', due_at = null"],
    ['ended', "state = 'stopped', ended_at = 1, due_at = null"],
    ['moved', 'send_id = null'],
  ] as const) {
    it(`are left alone when they were ${what} in between`, async () => {
      await change(bench, `update run set ${changed}`);
      expect(await at.handle.engine.step()).to.equal(0);
      expect((await standing()).node).to.equal('n0');
    });
  }

  it('become due by the settlement itself once the executor drains', async () => {
    await change(bench, `update run set send_id = null, due_at = $1`, [bench.clock.now()]);
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    at.network.onPerform = async (_action, perform) => {
      at.handle.engine.drain();
      return perform();
    };
    await at.handle.engine.step();
    await at.handle.engine.settle();
    const runs = await query<{ due: boolean }>(bench, 'select due_at <= $1 as due from run where lead_id = $2', [
      bench.clock.now(),
      leadId,
    ]);
    expect(runs).to.deep.equal([{ due: true }]);
  });
});
