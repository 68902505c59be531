import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { FencedError } from '../../../pkg/base/errors.ts';
import type { JsonObject } from '../../../pkg/base/json.ts';
import type { FaultPoint } from '../../../pkg/engine/fault-points.ts';
import { FAULT_POINTS, SCHEDULE_POINTS } from '../../../pkg/engine/fault-points.ts';
import { takeOver } from '../../../pkg/engine/loop/take-over.ts';
import { ScheduleRounds } from '../../../pkg/engine/schedule/schedule-rounds.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { stopRunsOf } from '../../../pkg/store/schedules/scheduled-runs.ts';
import { insertSchedule, nextOf } from '../../../pkg/store/schedules/schedules.ts';
import {
  type Bench,
  change,
  type EngineHandle,
  enrol,
  openBench,
  openEngine,
  passTime,
  query,
} from '../../fixtures/engine/harness.ts';
import {
  chain,
  DAY,
  HOUR,
  lead,
  MINUTE,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

const WEEKLY = { kind: 'cron', cron: '0 8 * * 1', timezone: 'UTC' } as const;

describe('engine: stale requests are withdrawn by a schedule', function () {
  this.timeout(180_000);
  let bench: Bench;
  let at: WorkflowFixture;
  let people: string[];
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());
  beforeEach(async () => {
    at = await workflowFixture(
      bench,
      chain(
        { nodeType: 'network:connection_request' },
        { nodeType: 'network:wait_connection', config: { timeoutMs: 80 * DAY } },
      ),
    );
    people = [];
    for (let n = 0; n < 3; n++) people.push((await lead(bench, at, false)).leadId);
    await enrol(bench, at.ws, at.flow, people);
    await passTime(bench, at.handle, 3 * HOUR, 10 * MINUTE);
    expect(at.network.received).to.have.length(3);
    at.network.received.length = 0;
  });

  /** An automation that comes next Monday at eight, when the requests have waited for longer than it asks for. */
  async function automation(settings: JsonObject = {}): Promise<string> {
    const id = randomUUID();
    await bench.clock.advance(22 * DAY);
    const now = bench.clock.now();
    await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      insertSchedule(tx, {
        id,
        workspaceId: at.ws,
        kind: 'withdraw_stale_requests',
        campaignId: at.camp,
        name: 'Withdraw',
        settings: { olderThanDays: 21, maxRequests: 100, ...settings },
        timing: WEEKLY,
        enabled: true,
        ...nextOf(WEEKLY, id, now),
        createdAt: now,
      }),
    );
    await bench.clock.advance(7 * DAY + HOUR);
    return id;
  }

  /** What an executor does in a while: schedules, actions, look-ups. */
  async function play(handle: EngineHandle, forMs = 8 * HOUR): Promise<void> {
    const rounds = new ScheduleRounds(handle.deps, { failed: () => undefined, moved: () => undefined });
    await takeOver(handle.deps);
    for (let passed = 0; passed <= forMs; passed += 20 * MINUTE) {
      for (let run = await rounds.take(); run; run = await rounds.take()) await rounds.work(run);
      await handle.engine.actions.round();
      await handle.engine.settle();
      await change(bench, 'update send set lookup_after = clock_timestamp() where lookup_after is not null');
      await handle.lookUp();
      await bench.clock.advance(20 * MINUTE);
    }
  }

  const runsOf = (id: string): Promise<{ state: string; result: JsonObject; error: string | null }[]> =>
    query(bench, 'select state, result, error from scheduled_run where schedule_id = $1 order by scheduled_for', [id]);
  const withdrawn = (): string[] =>
    at.network.received.filter((one) => one.kind === 'withdraw_request').map((one) => one.publicId);

  it("each once, at its account's pace; the result adds up, and the next run finds none", async () => {
    const id = await automation();
    await play(at.handle);
    const none = { skipped: 0, notPending: 0, failed: 0, stopped: 0, waiting: 0 };
    expect(await runsOf(id)).to.deep.equal([
      { state: 'succeeded', result: { ...none, found: 3, withdrawn: 3 }, error: null },
    ]);
    expect(new Set(withdrawn()).size).to.equal(3);
    const relations = await query(bench, 'select state from relation where account_id = $1', [at.account]);
    expect(relations).to.deep.equal([{ state: 'none' }, { state: 'none' }, { state: 'none' }]);
    const told = await query<{ data: JsonObject }>(
      bench,
      `select data from run_event where workspace_id = $1 and kind = 'connection.withdrawn'`,
      [at.ws],
    );
    expect(told.map((one) => one.data.leadId).sort()).to.deep.equal([...people].sort());
    await bench.clock.advance(7 * DAY);
    await play(at.handle, HOUR);
    expect((await runsOf(id))[1]).to.deep.include({ state: 'succeeded', result: { ...none, found: 0, withdrawn: 0 } });
    expect(withdrawn()).to.have.length(3);
  });

  it('takes the oldest up to its limit, none that is young, and counts what is not pending any more', async () => {
    await change(
      bench,
      'update relation set requested_at = $2 where account_id = $1 and person_id = (select person_id from lead where id = $3)',
      [at.account, bench.clock.now() + 25 * DAY, people[0]],
    );
    at.network.onPerform = () => Promise.reject(new ProviderError('not_pending', 'no such invitation'));
    const id = await automation({ maxRequests: 1 });
    await play(at.handle);
    expect((await runsOf(id))[0]?.result).to.include({ found: 1, withdrawn: 0, notPending: 1, failed: 0 });
  });

  it('from who is excluded too, since it reaches nobody; who is gone takes the place of nobody', async () => {
    for (const [n, leadId] of people.entries()) {
      await change(
        bench,
        'update relation set requested_at = $2 where account_id = $1 and person_id = (select person_id from lead where id = $3)',
        [at.account, bench.clock.now() - (10 - n) * HOUR, leadId],
      );
    }
    // The oldest is gone, the next one is excluded.
    await change(bench, 'update lead set erased_at = $2 where id = $1', [people[0], bench.clock.now()]);
    await change(
      bench,
      `insert into suppression (id, workspace_id, level, kind, value, person_id, source, created_at)
       select gen_random_uuid(), $1, 'workspace', 'person', person_id::text, person_id, 'manual', 1 from lead where id = $2`,
      [at.ws, people[1]],
    );
    const id = await automation({ maxRequests: 1 });
    await play(at.handle);
    expect((await runsOf(id))[0]?.result).to.include({ found: 2, withdrawn: 1, skipped: 1 });
    const [left] = await query<{ id: string }>(
      bench,
      `select l.id from relation r join lead l on l.person_id = r.person_id where r.account_id = $1 and r.state = 'none'`,
      [at.account],
    );
    expect(left?.id).to.equal(people[1]);
  });

  it('withdraws nothing of another campaign of the account', async () => {
    const other = await workflowFixture(bench, chain({ nodeType: 'network:profile_view' }));
    await change(bench, `insert into account_link (account_id, workspace_id, share, linked_at) values ($1, $2, 0, 1)`, [
      at.account,
      other.ws,
    ]);
    const own = at;
    at = other;
    const id = await automation();
    await play(other.handle, HOUR);
    expect((await runsOf(id))[0]?.result).to.include({ found: 0 });
    expect(own.network.received).to.deep.equal([]);
  });

  it('disabled, it stops what has not left', async () => {
    const id = await automation();
    await change(bench, `update network_account set paused = true where id = $1`, [at.account]);
    await play(at.handle, HOUR);
    expect((await runsOf(id))[0]).to.deep.include({ state: 'running' });
    await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) => stopRunsOf(tx, id, bench.clock.now()));
    await change(bench, `update network_account set paused = false where id = $1`, [at.account]);
    await change(bench, 'update schedule set enabled = false where id = $1', [id]);
    await play(at.handle, HOUR);
    expect(withdrawn()).to.deep.equal([]);
    const actions = await query(bench, 'select state, error from action where workspace_id = $1', [at.ws]);
    expect(actions).to.deep.equal(people.map(() => ({ state: 'stopped', error: 'its automation was disabled' })));
  });

  it('executors killed at each point in turn: nobody is withdrawn twice or forgotten, and the result adds up', async () => {
    const points: readonly FaultPoint[] = [...SCHEDULE_POINTS, ...FAULT_POINTS];
    const id = await automation();
    for (const point of points) {
      const mortal = await openEngine(bench, at.ws, at.network, {
        faults: (reached) => (reached === point ? Promise.reject(new FencedError('killed')) : Promise.resolve()),
      });
      await play(mortal, HOUR).catch((error: unknown) => {
        if (!(error instanceof FencedError)) throw error;
      });
    }
    await play(await openEngine(bench, at.ws, at.network), 12 * HOUR);
    const [run] = await runsOf(id);
    expect(run).to.deep.include({ state: 'succeeded' });
    expect(run?.result).to.include({ found: 3, withdrawn: 3, waiting: 0 });
    expect(withdrawn()).to.have.length(3);
    expect(new Set(withdrawn()).size).to.equal(3);
  });
});
