import { expect } from 'chai';
import { planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { type Bench, change, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import { addAccount, addWorkflow, type GraphInput } from '../../fixtures/engine/rows.ts';
import * as places from '../../fixtures/engine/workflow-fixture.ts';
import {
  chain,
  DAY,
  HOUR,
  message,
  NO_GAP,
  type RunView,
  type WorkflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

/** A function's parameters without the first. */
type Tail<F extends (...given: never[]) => unknown> =
  Parameters<F> extends [unknown, ...infer IdlePlan] ? IdlePlan : never;

describe('engine: stops and reviews', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());
  const workflowFixture = (...given: Tail<typeof places.workflowFixture>): Promise<WorkflowFixture> =>
    places.workflowFixture(bench, ...given);
  const lead = (...given: Tail<typeof places.lead>): ReturnType<typeof places.lead> => places.lead(bench, ...given);
  const runOf = (leadId: string): Promise<RunView> => places.runOf(bench, leadId);

  it('business hours are checked at the send, not at the scheduling', async () => {
    const at = await workflowFixture(
      chain({ nodeType: 'network:profile_view' }),
      { businessHours: { days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18, timezoneMode: 'account' } },
      { days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18, timezoneMode: 'account' },
    );
    const { leadId } = await lead(at);
    await bench.clock.advance(10 * HOUR);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const run = await runOf(leadId);
    expect(run).to.include({ state: 'waiting', wait_reason: 'business_hours' });
    expect(run.due_at).to.be.within(Date.UTC(2026, 0, 6, 9), Date.UTC(2026, 0, 6, 10));
    await passTime(bench, at.handle, 16 * HOUR, HOUR);
    expect(at.network.received).to.have.length(1);
  });

  it('who found no account that may act goes on as soon as one may', async () => {
    const at = await workflowFixture(chain({ nodeType: 'network:profile_view' }));
    await change(bench, `update network_account set status = 'credentials_expired' where id = $1`, [at.account]);
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(await runOf(leadId)).to.include({ state: 'blocked', wait_reason: 'account_unhealthy' });
    await change(bench, `update network_account set status = 'ok' where id = $1`, [at.account]);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(1);
  });

  it('or as soon as another account is linked', async () => {
    const at = await workflowFixture(chain({ nodeType: 'network:profile_view' }));
    await change(bench, `update network_account set status = 'credentials_expired' where id = $1`, [at.account]);
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const other = await addAccount(bench.app, [at.ws]);
    await at.handle.quiet();
    expect(at.network.received.map((one) => one.account)).to.deep.equal([other]);
  });

  it('who waits for another workflow to be done with the person goes on when it is', async () => {
    const wait = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 3 * HOUR } };
    const at = await workflowFixture(chain(message('first'), wait), {
      contactPolicy: { minDaysBetweenTouches: 0, recontactAfterDays: 0, dedupeScope: 'account' },
    });
    const other = await addWorkflow(bench.app, at.ws, at.camp, chain(wait, message('second')));
    const { leadId } = await lead(at);
    const [run] = await enrol(bench, at.ws, other, [leadId]);
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    const blocked = `select wait_reason from run where id = $1`;
    expect(await query(bench, blocked, [run?.runId])).to.deep.equal([{ wait_reason: 'claim_held_elsewhere' }]);
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['first', 'second']);
  });

  it('who waits so for 30 days fails, and says once that it is blocked', async () => {
    const wait = (days: number): GraphInput['nodes'][number] => ({
      nodeType: 'flow:wait',
      config: { waitType: 'duration', durationMs: days * DAY },
    });
    const at = await workflowFixture(chain(message('first'), wait(40)), {
      contactPolicy: { minDaysBetweenTouches: 0, recontactAfterDays: 0, dedupeScope: 'account' },
    });
    const other = await addWorkflow(bench.app, at.ws, at.camp, chain(wait(1), message('second')));
    const { leadId } = await lead(at);
    const [run] = await enrol(bench, at.ws, other, [leadId]);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await passTime(bench, at.handle, 33 * DAY, 6 * HOUR);
    expect(await query(bench, 'select state, end_reason from run where id = $1', [run?.runId])).to.deep.equal([
      { state: 'failed', end_reason: 'blocked for 30 days: claim_held_elsewhere' },
    ]);
    const told = `select kind from run_event where run_id = $1 and kind in ('run.blocked', 'run.failed') order by seq`;
    expect(await query(bench, told, [run?.runId])).to.deep.equal([{ kind: 'run.blocked' }, { kind: 'run.failed' }]);
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['first']);
  });

  it('an account acts however many others the workspace has', async () => {
    const at = await workflowFixture(chain({ nodeType: 'network:profile_view' }));
    await Promise.all(Array.from({ length: 500 }, () => addAccount(bench.app, [at.ws])));
    const last = await addAccount(bench.app, [at.ws], { id: 'zzz-last' });
    await change(bench, `update network_account set status = 'credentials_expired' where id <> $1`, [last]);
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(at.network.received.map((one) => one.account)).to.deep.equal([last]);
  });

  it('a sender that is taken out of its workflow goes on with whom it has reached, and with nobody else', async () => {
    const wait = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 2 * HOUR } };
    const at = await workflowFixture(chain(message('one'), wait, message('two')));
    const other = await addAccount(bench.app, [at.ws]);
    const senders = (ids: string[]): Promise<number> =>
      change(bench, 'update workflow set network_account_ids = $1 where id = $2', [ids, at.flow]);
    const hours = (days: number[]): Promise<number> =>
      change(bench, `update network_account set business_hours = business_hours || $1`, [{ days }]);
    await senders([at.account]);
    const [reached, waiting] = [await lead(at), await lead(at)];
    await enrol(bench, at.ws, at.flow, [reached.leadId]);
    await at.handle.quiet();
    await hours([2, 3, 4, 5]);
    await enrol(bench, at.ws, at.flow, [waiting.leadId]);
    await at.handle.quiet();
    expect(await runOf(waiting.leadId)).to.include({ wait_reason: 'business_hours', account_id: at.account });
    await senders([other]);
    await passTime(bench, at.handle, 2 * DAY, HOUR);
    const by = (publicId: string): string[] =>
      at.network.received.filter((one) => one.publicId === publicId).map((one) => one.account);
    expect(by(reached.publicId)).to.deep.equal([at.account, at.account]);
    expect(by(waiting.publicId)).to.deep.equal([other, other]);
  });

  it('a public holiday of the holidayCountry is a closed day', async () => {
    const at = await workflowFixture(chain({ nodeType: 'network:profile_view' }), {
      businessHours: {
        days: [1, 2, 3, 4, 5],
        startHour: 0,
        endHour: 24,
        timezoneMode: 'account',
        // In Armenia the first day of these tests, a Monday, and the Tuesday are holidays.
        holidayCountry: 'AM',
      },
    });
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const run = await runOf(leadId);
    expect(run).to.include({ state: 'waiting', wait_reason: 'business_hours' });
    expect(run.due_at).to.be.within(Date.UTC(2026, 0, 7), Date.UTC(2026, 0, 7, 1));
  });

  for (const [what, stop, release] of [
    [
      'a hold',
      `insert into hold (workspace_id, kind, id, reason, held_by, created_at) values ($1, 'workspace', $1, 'x', 'x', 1)`,
      'delete from hold where workspace_id = $1',
    ],
    [
      'suspending the workspace',
      `update workspace set operating_mode = 'Suspended' where id = $1`,
      `update workspace set operating_mode = 'Running' where id = $1`,
    ],
    [
      'a send freeze',
      `insert into send_freeze (id, scope, target, reason, frozen_by, since) values (gen_random_uuid(), 'workspace', $1, 'x', 'x', 1)`,
      'delete from send_freeze where target = $1',
    ],
    [
      'pausing the campaign',
      `update campaign set state = 'paused' where workspace_id = $1`,
      `update campaign set state = 'active' where workspace_id = $1`,
    ],
    [
      'disabling the workflow',
      `update workflow set enabled = false where workspace_id = $1`,
      `update workflow set enabled = true where workspace_id = $1`,
    ],
  ] as const) {
    it(`${what} stops sends, keeps places, and its release goes on`, async () => {
      const at = await workflowFixture(
        chain(
          { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
          { nodeType: 'network:profile_view' },
        ),
      );
      const { leadId } = await lead(at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      await at.handle.quiet();
      await change(bench, stop, [at.ws]);
      await passTime(bench, at.handle, 3 * HOUR, HOUR);
      expect(at.network.received).to.have.length(0);
      expect(await runOf(leadId)).to.include({ wait_reason: 'send_freeze', due_at: null });
      const sleeping = await at.handle.deps.claim.tx((tx) => planIdle(tx, bench.clock.now()));
      expect(sleeping.unparked).to.equal(0);
      await change(bench, release, [at.ws]);
      const [wake] = await query<{ due_at: number }>(
        bench,
        'select due_at from workspace_wake where workspace_id = $1',
        [at.ws],
      );
      expect(wake?.due_at, 'the operator is told').to.equal(0);
      expect((await at.handle.deps.claim.tx((tx) => planIdle(tx, bench.clock.now()))).unparked).to.equal(1);
      await at.handle.quiet();
      expect(at.network.received).to.have.length(1);
    });
  }

  it('who was stopped and is let go during a freeze says until when it lasts, and is woken then', async () => {
    const at = await workflowFixture(chain({ nodeType: 'network:profile_view' }));
    const { leadId } = await lead(at);
    await change(bench, 'update workflow set enabled = false where id = $1', [at.flow]);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const until = bench.clock.now() + 5 * HOUR;
    const freeze = `insert into send_freeze (id, scope, target, until, reason, frozen_by, since) values (gen_random_uuid(), $1, $2, $3, 'x', 'x', 1)`;
    await change(bench, freeze, ['platform', '', until - 2 * HOUR]);
    await change(bench, freeze, ['workspace', at.ws, until]);
    await change(bench, 'update workflow set enabled = true where id = $1', [at.flow]);
    await at.handle.quiet();
    const resting = await at.handle.deps.claim.tx((tx) => planIdle(tx, bench.clock.now()));
    expect(await runOf(leadId)).to.include({ wait_reason: 'send_freeze', due_at: until });
    expect(resting.nextDue).to.equal(until);
    await bench.clock.advance(5 * HOUR);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(1);
  });

  it('an unapproved draft is never sent: expiry ends the run', async () => {
    const at = await workflowFixture(
      chain({ nodeType: 'flow:review', config: { expiresAfterMs: 2 * DAY } }, message()),
    );
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await passTime(bench, at.handle, 3 * DAY, 12 * HOUR);
    expect(at.network.received).to.have.length(0);
    expect(await runOf(leadId)).to.include({ state: 'stopped', end_reason: 'the review expired' });
    expect((await query<{ state: string }>(bench, 'select state from review_item'))[0]?.state).to.equal('expired');
  });

  it('review mode: all puts a gate before each text, and the approved (edited) text is what is sent', async () => {
    const at = await workflowFixture(chain(message()), { ...NO_GAP, reviewMode: 'all' });
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(
      (await query<{ body: string; risk_flags: string[] }>(bench, 'select * from review_item'))[0],
    ).to.deep.include({ body: 'Hello Ada', risk_flags: ['first_touch'] });
    await change(bench, `update review_item set state = 'approved', body = 'Hello dear Ada', decided_at = $1`, [
      bench.clock.now(),
    ]);
    await at.handle.quiet();
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['Hello dear Ada']);
    expect((await query<{ state: string }>(bench, 'select state from review_item'))[0]?.state).to.equal('sent');
  });

  it('missing data blocks the text instead of sending a gap', async () => {
    const at = await workflowFixture({
      nodes: [message('Hi {{lead:industry}}'), { nodeType: 'flow:end', config: { reason: 'no data' } }],
      edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'missing_data' }],
    });
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(0);
    expect((await runOf(leadId)).state).to.equal('completed');
  });

  it('missing data without a branch ends the run as stopped, with what is missing', async () => {
    const at = await workflowFixture({ nodes: [message('Hi {{lead:industry}}')], edges: [] });
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(await runOf(leadId)).to.include({
      state: 'stopped',
      end_reason: 'ended after n0 (missing_data): nothing was sent, lead:industry is not known of the lead',
    });
  });
});
