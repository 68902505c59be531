import { expect } from 'chai';
import pg from 'pg';
import { type IdlePlan, planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { wakeWorkspace } from '../../../pkg/store/runs/wake.ts';
import { type Bench, change, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import { chain, HOUR, lead, runOf, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

const WAIT = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } };
const VIEW = { nodeType: 'network:profile_view' };

describe('an engine that rests', function () {
  this.timeout(60_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  it('has left the exact moment at which the workspace has to be awake, before it begins to sleep', async () => {
    const at = await workflowFixture(bench, chain(VIEW, WAIT, VIEW));
    const { leadId } = await lead(bench, at);
    const wakes = (): Promise<{ due_at: number }[]> =>
      query(bench, 'select due_at from workspace_wake where workspace_id = $1', [at.ws]);
    const atSleep = Promise.withResolvers<{ due_at: number }[]>();
    const sleep = bench.clock.sleep.bind(bench.clock);
    bench.clock.sleep = (ms, signal) => {
      // Longer than the minute after which a run looks at its send: nothing is under way any more.
      if (ms > HOUR / 2) wakes().then(atSleep.resolve, atSleep.reject);
      return sleep(ms, signal);
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    const running = at.handle.engine.run();
    const found = await atSleep.promise;
    at.handle.engine.drain();
    await running;
    expect(at.network.received).to.have.length(1);
    expect(found).to.deep.equal([{ due_at: (await runOf(bench, leadId)).due_at }]);
  });

  it('postpones nothing that is made while it looks: where it found no row of a wake, too', async () => {
    const at = await workflowFixture(bench, chain(WAIT, VIEW));
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    await change(bench, 'delete from workspace_wake where workspace_id = $1', [at.ws]);
    const now = bench.clock.now();
    const { resting } = await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, async (tx) => {
      await wakeWorkspace(tx, at.ws, now, 'made meanwhile');
      const resting = at.handle.deps.claim.tx((other) => planIdle(other, now));
      while ((await query(bench, 'select 1 from pg_locks where not granted')).length === 0);
      return { resting };
    });
    await resting;
    const wakes = await query(bench, 'select due_at from workspace_wake where workspace_id = $1', [at.ws]);
    expect(wakes).to.deep.equal([{ due_at: now }]);
  });

  it('postpones no wake that the end of a freeze brought forward while it looked, and looks once more', async () => {
    const at = await workflowFixture(bench, chain(VIEW, WAIT, VIEW));
    const { leadId } = await lead(bench, at);
    await change(
      bench,
      `insert into send_freeze (id, scope, target, reason, frozen_by, since) values (gen_random_uuid(), 'platform', '', 'test', 'test', 1)`,
    );
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect((await runOf(bench, leadId)).wait_reason).to.equal('send_freeze');
    const now = bench.clock.now();
    const look = (): Promise<IdlePlan> => at.handle.deps.claim.tx((tx) => planIdle(tx, now));
    // Any other than what it would leave.
    await change(
      bench,
      `insert into workspace_wake (workspace_id, due_at, reason) values ($1, $2, 'test') on conflict (workspace_id) do update set due_at = $2`,
      [at.ws, now + HOUR],
    );
    const admin = new pg.Client({ connectionString: bench.ownerUrl });
    await admin.connect();
    await admin.query('begin');
    await admin.query('delete from outrider.send_freeze');
    const looked = look();
    while ((await query(bench, 'select 1 from pg_locks where not granted')).length === 0);
    await admin.query('commit');
    await admin.end();
    const { unparked, nextDue } = await looked;
    expect([unparked, nextDue]).to.deep.equal([1, 0]);
    expect(await query(bench, 'select due_at from workspace_wake where workspace_id = $1', [at.ws])).to.deep.equal([
      { due_at: 0 },
    ]);
    expect((await look()).unparked).to.equal(1);
    expect((await runOf(bench, leadId)).due_at).to.equal(now);
  });
});
