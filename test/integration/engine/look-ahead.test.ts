import { expect } from 'chai';
import { recoverSends } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, change, enrol, keepLease, openBench, openEngine, query } from '../../fixtures/engine/harness.ts';
import type { GraphInput } from '../../fixtures/engine/rows.ts';
import { chain, HOUR, lead, type WorkflowFixture, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

const WAIT = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } };
const VIEW = { nodeType: 'network:profile_view' };

describe('work that is due in a moment', function () {
  this.timeout(60_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
    // Its time passes as the machine's does.
    Object.assign(bench.clock, { steady: true });
    await bench.clock.advance(30_000);
  });
  afterEach(() => bench.close());

  /** A run that waits until an hour from now and then acts. */
  async function waiting(action: GraphInput['nodes'][number] = VIEW): Promise<WorkflowFixture> {
    const at = await workflowFixture(bench, chain(WAIT, action));
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    return at;
  }

  /** Until one more than `sleeping` waits for its time, or did not. */
  async function sleeper(sleeping: number, { network }: WorkflowFixture): Promise<void> {
    const before = network.received.length;
    while (bench.clock.sleeping <= sleeping && network.received.length === before)
      await new Promise((resolve) => setImmediate(resolve));
  }

  /** One batch, until its send is committed and only its time is missing. */
  async function held(at: WorkflowFixture): Promise<void> {
    const { sleeping } = bench.clock;
    expect(await at.handle.engine.step()).to.equal(1);
    await sleeper(sleeping, at);
    expect(await states(at)).to.deep.equal(['dispatched']);
  }

  /** One that is claimed 400 ms before it is due, by an account without a pace. */
  async function claimedAhead(): Promise<WorkflowFixture> {
    const at = await waiting();
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
    await bench.clock.advance(HOUR - 400);
    const { sleeping } = bench.clock;
    await at.handle.engine.step();
    await sleeper(sleeping, at);
    return at;
  }

  /** What the one who takes over undoes. */
  const recovered = async (heir: WorkflowFixture['handle']): Promise<number> =>
    (await heir.deps.claim.tx((tx) => recoverSends(tx, bench.clock.now(), 500))).cancelled;

  /** The next batch of `handle` takes it; it leaves after so many ms and not before. */
  async function leavesAfter(ms: number, handle: WorkflowFixture['handle'], at: WorkflowFixture): Promise<void> {
    const { sleeping } = bench.clock;
    expect(await handle.engine.step(), 'it is as near as before').to.equal(1);
    await sleeper(sleeping, at);
    await bench.clock.advance(ms - 1);
    expect(at.network.received).to.deep.equal([]);
    await bench.clock.advance(1);
    await handle.engine.settle();
    expect(at.network.received.map((one) => one.kind)).to.deep.equal(['profile_view']);
  }

  const states = async (at: WorkflowFixture): Promise<string[]> =>
    (await query<{ state: string }>(bench, 'select state from send where workspace_id = $1', [at.ws])).map(
      (row) => row.state,
    );

  it('is made ready before, and leaves when it is due and not before', async () => {
    const at = await waiting();
    await bench.clock.advance(HOUR - 80);
    await held(at);
    await bench.clock.advance(79);
    expect(at.network.received).to.deep.equal([]);
    await bench.clock.advance(1);
    await at.handle.engine.settle();
    expect(at.network.received.map((one) => one.kind)).to.deep.equal(['profile_view']);
    expect(await states(at)).to.deep.equal(['confirmed']);
    const events = await query<{ at: number }>(
      bench,
      `select at from run_event where workspace_id = $1 and node_id = 'n0'`,
      [at.ws],
    );
    expect(events.map((event) => event.at)).to.deep.equal([bench.clock.now()]);
  });

  it('is claimed first, and committed as what will leave a moment before it does', async () => {
    const at = await waiting();
    await bench.clock.advance(HOUR - 400);
    const { sleeping } = bench.clock;
    expect(await at.handle.engine.step()).to.equal(1);
    await sleeper(sleeping, at);
    expect(await states(at)).to.deep.equal(['claimed']);
    await bench.clock.advance(300);
    await sleeper(sleeping, at);
    expect(await states(at)).to.deep.equal(['dispatched']);
    await bench.clock.advance(100);
    await at.handle.engine.settle();
    expect(at.network.received).to.have.length(1);
  });

  it('does not leave when sending was stopped between its claim and that commit', async () => {
    const at = await waiting();
    await bench.clock.advance(HOUR - 400);
    const { sleeping } = bench.clock;
    await at.handle.engine.step();
    await sleeper(sleeping, at);
    await query(bench, `update campaign set state = 'paused' where workspace_id = $1`, [at.ws]);
    await bench.clock.advance(400);
    await at.handle.engine.settle();
    expect(at.network.received).to.deep.equal([]);
    expect(await states(at)).to.deep.equal(['failed']);
  });

  it('is not taken when it is further away', async () => {
    const at = await waiting();
    await bench.clock.advance(HOUR - 651);
    expect(await at.handle.engine.step()).to.equal(0);
  });

  it('is not judged before its minute has come: days and hours begin with one', async () => {
    await bench.clock.advance(30_000);
    const at = await waiting();
    await bench.clock.advance(HOUR - 1);
    expect(await at.handle.engine.step()).to.equal(0);
    await bench.clock.advance(1);
    expect(await at.handle.engine.step()).to.equal(1);
    await at.handle.engine.settle();
    expect(at.network.received).to.have.length(1);
  });

  it('does not leave when the claim was lost while it waited for its time', async () => {
    const at = await waiting();
    await bench.clock.advance(HOUR - 80);
    await held(at);
    await keepLease(bench, at.ws);
    await at.handle.deps.claim.renew();
    await at.handle.engine.settle();
    await bench.clock.advance(80);
    expect(at.network.received).to.deep.equal([]);
    expect(await states(at)).to.deep.equal(['dispatched']);
  });

  it('is not done before it is due by who takes over, when its executor ended while it waited for its time', async () => {
    const at = await claimedAhead();
    // Not yet committed, whatever part of the spread is this workspace's: that is at most 300 ms before it is due.
    await bench.clock.advance(90);
    const heir = await openEngine(bench, at.ws, at.network);
    expect(await recovered(heir)).to.equal(1);
    await leavesAfter(310, heir, at);
  });

  it('is not done before it is due when who took over ends as well, before that', async () => {
    const at = await claimedAhead();
    expect(await recovered(await openEngine(bench, at.ws, at.network))).to.equal(1);
    await bench.clock.advance(50);
    const heir = await openEngine(bench, at.ws, at.network);
    expect(await recovered(heir)).to.equal(0);
    await leavesAfter(350, heir, at);
  });

  it('is not done before it is due when its dispatch was refused for a moment', async () => {
    const at = await claimedAhead();
    const campaign = (state: string): Promise<unknown> =>
      query(bench, 'update campaign set state = $2 where workspace_id = $1', [at.ws, state]);
    await campaign('paused');
    await bench.clock.advance(310);
    await at.handle.engine.settle();
    expect(await states(at)).to.deep.equal(['failed']);
    await campaign('active');
    await leavesAfter(90, at.handle, at);
  });

  it('an obstacle that is found while it is made ready lets the run go on when it is due and not before', async () => {
    const at = await waiting({ nodeType: 'network:like_post', config: { reaction: 'like' } });
    await bench.clock.advance(HOUR - 400);
    const { sleeping } = bench.clock;
    expect(await at.handle.engine.step()).to.equal(1);
    await Promise.race([sleeper(sleeping, at), at.handle.engine.settle()]);
    await bench.clock.advance(399);
    expect(await states(at)).to.deep.equal(['claimed']);
    await bench.clock.advance(1);
    await at.handle.engine.settle();
    expect(await states(at)).to.deep.equal(['failed']);
  });

  it('is judged at its own moment, whatever else is made ready with it: who is told to look again early goes on waiting', async () => {
    const at = await waiting();
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
    await bench.clock.advance(100);
    const later = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [later.leadId]);
    await at.handle.quiet();
    await bench.clock.advance(HOUR - 400);
    await change(
      bench,
      'update run set due_at = $2 where workspace_id = $1 and due_at = (select min(due_at) from run where workspace_id = $1)',
      [at.ws, bench.clock.now()],
    );
    const { sleeping } = bench.clock;
    expect(await at.handle.engine.step()).to.equal(2);
    await sleeper(sleeping, at);
    expect(await at.handle.engine.step(), 'the first one is as near as before').to.equal(1);
    await sleeper(sleeping + 1, at);
    await bench.clock.advance(299);
    expect(at.network.received).to.deep.equal([]);
    await bench.clock.advance(1);
    await sleeper(sleeping, at);
    expect(at.network.received).to.have.length(1);
    await bench.clock.advance(100);
    await at.handle.engine.settle();
    expect(at.network.received).to.have.length(2);
  });

  it('is not done before the step ahead of it, when it was refused for a moment and is told to look again', async () => {
    const at = await waiting();
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}', paused = true`);
    await bench.clock.advance(HOUR - 400);
    expect(await at.handle.engine.step()).to.equal(1);
    const [stands] = await query<{ node_id: string }>(bench, 'select node_id from run where workspace_id = $1', [
      at.ws,
    ]);
    expect(stands?.node_id, 'its wait is over ahead of time').to.equal('n1');
    await change(bench, 'update network_account set paused = false');
    await change(bench, 'update run set due_at = $2 where workspace_id = $1', [at.ws, bench.clock.now()]);
    await leavesAfter(400, at.handle, at);
  });

  it('is left alone on a clock that can be held or jump', async () => {
    Object.assign(bench.clock, { steady: undefined });
    const at = await waiting();
    await bench.clock.advance(HOUR - 1);
    expect(await at.handle.engine.step()).to.equal(0);
  });
});
