import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { FencedError } from '../../../pkg/base/errors.ts';
import type { JsonObject } from '../../../pkg/base/json.ts';
import { seededRandom } from '../../../pkg/domain/random.ts';
import { lastTime, spreadOf, type Timing } from '../../../pkg/domain/schedule/timing.ts';
import { DOABLE } from '../../../pkg/engine/doable.ts';
import { SCHEDULE_POINTS } from '../../../pkg/engine/fault-points.ts';
import type { ScheduleHandler } from '../../../pkg/engine/schedule/schedule-handler.ts';
import { ScheduleRounds } from '../../../pkg/engine/schedule/schedule-rounds.ts';
import { planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { insertScheduledRun } from '../../../pkg/store/schedules/scheduled-runs.ts';
import { insertSchedule, nextOf } from '../../../pkg/store/schedules/schedules.ts';
import { FakeNetwork } from '../../fixtures/engine/fake-network.ts';
import { type Bench, change, type EngineHandle, openBench, openEngine, query } from '../../fixtures/engine/harness.ts';
import { interleave } from '../../fixtures/engine/interleave.ts';
import { addCampaign, addWorkspace } from '../../fixtures/engine/rows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const HOURLY: Timing = { kind: 'cron', cron: '0 * * * *', timezone: 'Europe/Berlin' };
const NIGHTLY: Timing = { kind: 'cron', cron: '30 2 * * *', timezone: 'Europe/Berlin' };

interface Row {
  id: string;
  scheduled_for: number;
  state: string;
  error: string | null;
  result: JsonObject;
  cursor: JsonObject;
}

describe('engine: what is scheduled happens once', function () {
  this.timeout(120_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  /** Counts to three, one number a step. */
  const counting: ScheduleHandler = {
    kind: 'rescore_leads',
    run: (_context, cursor) => {
      const at = Number(cursor.at ?? 0) + 1;
      const result = { counted: at };
      return Promise.resolve(at < 3 ? { kind: 'more', cursor: { at }, result } : { kind: 'done', result });
    },
  };

  async function place(): Promise<{ ws: string; camp: string }> {
    const ws = await addWorkspace(bench.app);
    return { ws, camp: await addCampaign(bench.app, ws) };
  }

  async function schedule(
    at: { ws: string; camp: string },
    timing: Timing,
    settings: JsonObject = {},
  ): Promise<string> {
    const id = randomUUID();
    const now = bench.clock.now();
    await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      insertSchedule(tx, {
        id,
        workspaceId: at.ws,
        kind: 'rescore_leads',
        campaignId: at.camp,
        name: 'Count',
        settings,
        timing,
        enabled: true,
        ...nextOf(timing, id, now),
        createdAt: now,
      }),
    );
    return id;
  }

  const engineOf = (ws: string, options: Parameters<typeof openEngine>[3] = {}): Promise<EngineHandle> =>
    openEngine(bench, ws, new FakeNetwork(), options);
  const roundsOf = (handle: EngineHandle, handler: ScheduleHandler = counting): ScheduleRounds =>
    new ScheduleRounds(handle.deps, { failed: () => undefined, moved: () => undefined }, [handler]);

  /** Works on what is due until nothing is. */
  async function play(rounds: ScheduleRounds): Promise<void> {
    let run = await rounds.take();
    while (run) {
      await rounds.work(run);
      run = await rounds.take();
    }
  }

  const runsOf = (id: string): Promise<Row[]> =>
    query(bench, 'select * from scheduled_run where schedule_id = $1 order by scheduled_for', [id]);

  /** To the moment at which a schedule that comes at `nextFor` starts. */
  async function toStart(id: string): Promise<number> {
    const [row] = await query<{ next_for: number; next_at: number }>(
      bench,
      'select next_for, next_at from schedule where id = $1',
      [id],
    );
    await bench.clock.advance((row?.next_at ?? 0) - bench.clock.now());
    return row?.next_for ?? 0;
  }

  it('comes at its time, runs step by step to its end, and the executor is woken for the next one', async () => {
    const at = await place();
    const id = await schedule(at, HOURLY);
    const handle = await engineOf(at.ws);
    const rounds = roundsOf(handle);
    await play(rounds);
    expect(await runsOf(id)).to.deep.equal([]);
    const due = await toStart(id);
    await play(rounds);
    const [run] = await runsOf(id);
    expect(run).to.include({ scheduled_for: due, state: 'succeeded', error: null });
    expect(run?.result).to.deep.equal({ counted: 3 });
    await handle.deps.claim.tx((tx) => planIdle(tx, bench.clock.now()));
    const wakes = await query(bench, 'select due_at from workspace_wake where workspace_id = $1', [at.ws]);
    expect(wakes).to.deep.equal([{ due_at: due + HOUR + spreadOf(HOURLY, id) }]);
  });

  for (const point of SCHEDULE_POINTS) {
    it(`an executor killed when ${point}: the next one goes on from the run's cursor, and no step is done twice`, async () => {
      const at = await place();
      const id = await schedule(at, HOURLY);
      await toStart(id);
      const done: number[] = [];
      const noting: ScheduleHandler = {
        kind: counting.kind,
        run: (context, cursor) => {
          done.push(Number(cursor.at ?? 0));
          return counting.run(context, cursor);
        },
      };
      let met = 0;
      const mortal = await engineOf(at.ws, {
        // At the second step: something was done by then.
        faults: (reached) =>
          reached === point && (!point.startsWith('step') || ++met === 2)
            ? Promise.reject(new FencedError('killed'))
            : Promise.resolve(),
      });
      await play(roundsOf(mortal)).then(
        () => expect.fail('it was not killed'),
        (error: unknown) => expect(error).to.be.instanceOf(FencedError),
      );
      const known = (await runsOf(id))[0]?.cursor.at ?? 0;
      await play(roundsOf(await engineOf(at.ws), noting));
      const runs = await runsOf(id);
      expect(runs.map((run) => [run.state, run.result])).to.deep.equal([['succeeded', { counted: 3 }]]);
      expect(done[0]).to.equal(known);
      expect(done).to.have.length(3 - Number(known));
    });
  }

  it('a run whose executors all end is failed (lost) with what it had done, and that is an event', async () => {
    const at = await place();
    const id = await schedule(at, HOURLY);
    await toStart(id);
    const deadly: ScheduleHandler = {
      kind: counting.kind,
      run: (context, cursor) =>
        cursor.at === 1 ? Promise.reject(new FencedError('killed')) : counting.run(context, cursor),
    };
    for (let life = 0; life < 5; life++)
      await play(roundsOf(await engineOf(at.ws), deadly)).catch((error: unknown) => {
        if (!(error instanceof FencedError)) throw error;
      });
    const [run] = await runsOf(id);
    expect(run).to.include({ state: 'failed' });
    expect(run?.error).to.match(/^lost/);
    expect(run?.result).to.deep.equal({ counted: 1 });
    const events = await query<{ data: JsonObject }>(
      bench,
      `select data from run_event where workspace_id = $1 and kind = 'automation.failed'`,
      [at.ws],
    );
    expect(events.map((event) => event.data)).to.deep.equal([{ automationId: id, jobId: run?.id, reason: run?.error }]);
  });

  it('of two executors the one with the older lease does nothing more', async () => {
    const at = await place();
    const id = await schedule(at, HOURLY);
    await toStart(id);
    const old = roundsOf(await engineOf(at.ws));
    const taken = await old.take();
    if (!taken) throw new Error('nothing was taken');
    await play(roundsOf(await engineOf(at.ws)));
    await old.work(taken).catch((error: unknown) => expect(error).to.be.instanceOf(FencedError));
    expect((await runsOf(id)).map((run) => [run.state, run.result])).to.deep.equal([['succeeded', { counted: 3 }]]);
  });

  it('a time that comes while the one before is under way is skipped (overlap)', async () => {
    const at = await place();
    const id = await schedule(at, HOURLY);
    const resting: ScheduleHandler = {
      kind: counting.kind,
      run: ({ now }) => Promise.resolve({ kind: 'rest', cursor: {}, result: {}, dueAt: now + 90 * MINUTE }),
    };
    const handle = await engineOf(at.ws);
    await toStart(id);
    await play(roundsOf(handle, resting));
    await toStart(id);
    await play(roundsOf(handle, resting));
    expect((await runsOf(id)).map((run) => [run.state, run.error])).to.deep.equal([
      ['running', null],
      ['skipped', 'overlap'],
    ]);
    await bench.clock.advance(HOUR / 2);
    await play(roundsOf(handle));
    expect((await runsOf(id))[0]?.state).to.equal('succeeded');
  });

  for (const [what, timing, from] of [
    ['over a day', HOURLY, '2026-02-10T09:10:00Z'],
    ['over the gap of Berlin', NIGHTLY, '2026-03-28T12:00:00Z'],
    ['over the overlap of Berlin', NIGHTLY, '2026-10-24T12:00:00Z'],
  ] as const) {
    it(`a clock that jumps ${what}: what was missed is made up once, for the last time that was missed`, async () => {
      await bench.clock.advance(Date.parse(from) - bench.clock.now());
      const at = await place();
      const id = await schedule(at, timing);
      const [first] = await query<{ next_for: number }>(bench, 'select next_for from schedule where id = $1', [id]);
      await bench.clock.advance(DAY + 6 * HOUR);
      const rounds = roundsOf(await engineOf(at.ws));
      await play(rounds);
      await play(rounds);
      const last = lastTime(timing, first?.next_for ?? 0, bench.clock.now() - spreadOf(timing, id));
      expect((await runsOf(id)).map((run) => [run.scheduled_for, run.state])).to.deep.equal([[last, 'succeeded']]);
      const next = await toStart(id);
      await play(rounds);
      expect((await runsOf(id)).map((run) => run.scheduled_for)).to.deep.equal([last, next]);
    });
  }

  for (const [what, stop, go] of [
    [
      'suspended',
      `update workspace set operating_mode = 'Suspended' where id = $1`,
      `update workspace set operating_mode = 'Running' where id = $1`,
    ],
    [
      'held',
      `insert into hold (workspace_id, kind, id, reason, held_by, created_at) values ($1, 'workspace', $1, 'r', 'test', 1)`,
      `delete from hold where workspace_id = $1`,
    ],
    [
      'deleted',
      `update workspace set deleted_at = 1 where id = $1`,
      `update workspace set deleted_at = null where id = $1`,
    ],
  ] as const) {
    it(`a ${what} workspace runs nothing, and is not woken for it`, async () => {
      const at = await place();
      const id = await schedule(at, HOURLY);
      const handle = await engineOf(at.ws);
      await change(bench, stop, [at.ws]);
      await bench.clock.advance(2 * HOUR);
      await play(roundsOf(handle));
      expect(await runsOf(id)).to.deep.equal([]);
      expect((await handle.deps.claim.tx((tx) => planIdle(tx, bench.clock.now()))).nextDue).to.equal(null);
      await change(bench, go, [at.ws]);
      await play(roundsOf(handle));
      expect(await runsOf(id)).to.have.length(1);
    });
  }

  it('a step that fails is tried again, and after three times its error ends the run', async () => {
    const at = await place();
    const id = await schedule(at, HOURLY);
    await toStart(id);
    const broken: ScheduleHandler = { kind: counting.kind, run: () => Promise.reject(new Error('the disk is full')) };
    const handle = await engineOf(at.ws);
    for (let round = 0; round < 3; round++) {
      await play(roundsOf(handle, broken));
      await bench.clock.advance(MINUTE);
    }
    expect((await runsOf(id)).map((run) => [run.state, run.error])).to.deep.equal([['failed', 'the disk is full']]);
  });

  it('an executor does not look again and again for a kind that only a newer one knows; that one is woken for it', async () => {
    const at = await place();
    const id = await schedule(at, HOURLY);
    await change(bench, `update schedule set kind = 'of_a_newer_version' where id = $1`, [id]);
    await toStart(id);
    const handle = await engineOf(at.ws);
    const left = (): Promise<number | null> =>
      handle.deps.claim.tx(async (tx) => (await planIdle(tx, bench.clock.now(), DOABLE)).nextDue);
    const now = bench.clock.now();
    expect(await left()).to.equal(null);
    await play(roundsOf(handle));
    expect(await left()).to.equal(null);
    const old = await handle.deps.claim.tx((tx) =>
      tx.row('select app.own_next_due() as own, (select next_due from app.rest($1)) as rest', [now]),
    );
    expect(old).to.deep.equal({ own: null, rest: null });
    expect(
      await query(bench, 'select due_at <= $2 as due from workspace_wake where workspace_id = $1', [at.ws, now]),
    ).to.deep.equal([{ due: true }]);
    expect((await runsOf(id)).map((run) => run.state)).to.deep.equal(['queued']);
    const newer = { ...counting, kind: 'of_a_newer_version' };
    await play(roundsOf(await engineOf(at.ws), newer));
    expect((await runsOf(id)).map((run) => run.state)).to.deep.equal(['succeeded']);
  });

  it('whichever processes insert the runs of a schedule, in whatever order: one of a time, one under way', async () => {
    const at = await place();
    const id = await schedule(at, HOURLY);
    const dice = seededRandom('schedules');
    for (let round = 0; round < 8; round++) {
      const made: (string | null)[] = [];
      const times = [1, 1, 2].map((hour) => (round * 2 + hour) * HOUR);
      await interleave(
        times.map((scheduledFor) => async (turn) => {
          await turn();
          await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, async (tx) => {
            const row = { id: randomUUID(), scheduleId: id, workspaceId: at.ws, scheduledFor, now: 1 };
            made.push(await insertScheduledRun(tx, row));
            await turn();
          });
        }),
        dice,
      );
      expect([...made].sort(), `round ${round}`).to.deep.equal(['queued', 'skipped', null].sort());
      await change(bench, `update scheduled_run set state = 'succeeded' where schedule_id = $1 and state = 'queued'`, [
        id,
      ]);
    }
    expect(await runsOf(id)).to.have.length(16);
  });

  it('no executor sees the schedules of another workspace', async () => {
    const [one, other] = [await place(), await place()];
    await schedule(one, HOURLY);
    const handle = await engineOf(other.ws);
    const seen = await handle.deps.claim.tx((tx) => tx.rows('select id from schedule', []));
    expect(seen).to.deep.equal([]);
  });
});
