import { expect } from 'chai';
import { GraphCache } from '../../../pkg/engine/walk/graph-cache.ts';
import { learnSplits } from '../../../pkg/engine/walk/splits.ts';
import type { Tx } from '../../../pkg/postgres/database.ts';
import { countArms } from '../../../pkg/store/runs/splits.ts';
import { type Bench, change, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import {
  DAY,
  HOUR,
  lead,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

const GRAPH = {
  nodes: [
    {
      nodeId: 'split',
      nodeType: 'flow:split',
      config: { branches: [{ name: 'a' }, { name: 'b' }], mode: 'bandit', maturityHours: 72 },
    },
    { nodeType: 'flow:end' },
    { nodeType: 'flow:end' },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1, branch: 'a' },
    { sourceIndex: 0, targetIndex: 2, branch: 'b' },
  ],
};

describe('engine: splits', function () {
  this.timeout(60_000);
  let bench: Bench;
  let at: WorkflowFixture;
  before(async () => {
    bench = await openBench();
  });
  beforeEach(async () => {
    at = await workflowFixture(bench, GRAPH, { contactPolicy: { minDaysBetweenTouches: 0, recontactAfterDays: 0 } });
  });
  after(() => bench.close());

  const send = async (count: number): Promise<string[]> => {
    const leads: string[] = [];
    for (let one = 0; one < count; one++) leads.push((await lead(bench, at)).leadId);
    await enrol(bench, at.ws, at.flow, leads);
    await at.handle.quiet();
    return leads;
  };
  const armOf = async (leadId: string): Promise<string> => {
    const [run] = await query<{ arms: Record<string, string> }>(
      bench,
      'select arms from run where lead_id = $1 order by started_at desc limit 1',
      [leadId],
    );
    return run?.arms?.['split'] ?? '';
  };
  const control = (sql: string): Promise<number> =>
    change(
      bench,
      `insert into split_control (workspace_id, workflow_id, node_id, updated_at) values ($1, $2, 'split', 1) on conflict do nothing`,
      [at.ws, at.flow],
    ).then(() => change(bench, `update split_control set ${sql} where workflow_id = $1`, [at.flow]));
  /** @param meanwhile happens while outcomes are counted */
  const learn = (meanwhile?: () => Promise<unknown>): Promise<number> =>
    at.handle.deps.claim.tx((tx) => {
      const counting: Tx = meanwhile
        ? Object.assign(Object.create(tx) as Tx, {
            rows: async (text: string, values?: unknown[]) => {
              if (text.includes('run.step_done')) await meanwhile();
              return tx.rows(text, values);
            },
            named: tx.named.bind(tx),
            exec: tx.exec.bind(tx),
          })
        : tx;
      return learnSplits(counting, { workspaceId: at.ws, now: bench.clock.now(), cache: new GraphCache() });
    });
  const shares = async (): Promise<Record<string, number>> => {
    const [row] = await query<{ learnt: Record<string, number> }>(
      bench,
      'select learnt from split_control where workflow_id = $1',
      [at.flow],
    );
    return row?.learnt ?? {};
  };
  const count = () =>
    bench.app.tx({ kind: 'platform' }, (tx) =>
      countArms(
        tx,
        { workspaceId: at.ws, workflowId: at.flow, nodeId: 'split', now: bench.clock.now(), silent: ['a', 'b'] },
        { metric: 'replied', maturityHours: 72, since: 0 },
      ),
    );
  /** An answer of the lead so many ms after the exposure, after the run has ended: told to that run, as app.hear_reply does. */
  const answer = async (leadId: string, afterMs: number, replyClass = 'neutral'): Promise<void> => {
    const { id } = await runOf(bench, leadId);
    await change(
      bench,
      `insert into run_event (workspace_id, run_id, at, kind, actor, data)
       values ($1, $2, $3, 'reply.received', 'lead', jsonb_build_object('class', $4::text))`,
      [at.ws, id, bench.clock.now() + afterMs, replyClass],
    );
  };

  it('shares in force decide about new leads', async () => {
    await control(`learnt = '{"a": 0, "b": 1}', learnt_at = ${bench.clock.now()}`);
    for (const leadId of await send(8)) expect(await armOf(leadId)).to.equal('b');
  });

  it('so does the arm of a split that comes after another one and a wait', async () => {
    const split = (nodeId: string): object => ({
      nodeId,
      nodeType: 'flow:split',
      config: { branches: [{ name: 'a' }, { name: 'b' }] },
    });
    const nodes = [
      split('first'),
      { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
      split('split'),
      { nodeType: 'flow:end' },
    ];
    const to = (sourceIndex: number, targetIndex: number, branch?: string): object => ({
      sourceIndex,
      targetIndex,
      ...(branch ? { branch } : {}),
    });
    const edges = [to(0, 1, 'a'), to(0, 1, 'b'), to(1, 2), to(2, 3, 'a'), to(2, 3, 'b')];
    const settings = { contactPolicy: { minDaysBetweenTouches: 0, recontactAfterDays: 0 } };
    at = await workflowFixture(bench, { nodes, edges } as Parameters<typeof workflowFixture>[1], settings);
    const leads: string[] = [];
    for (let one = 0; one < 6; one++) leads.push((await lead(bench, at)).leadId);
    const pass = async (): Promise<string[]> => {
      await enrol(bench, at.ws, at.flow, leads);
      await passTime(bench, at.handle, 2 * HOUR, HOUR);
      return Promise.all(leads.map(armOf));
    };
    const arms = await pass();
    await control(`mode = 'fixed', weights = '{"a": ${arms[0] === 'a' ? 0 : 1}, "b": ${arms[0] === 'a' ? 1 : 0}}'`);
    await bench.clock.advance(DAY);
    expect(await pass()).to.deep.equal(arms);
  });

  it('an arm stays with the lead when it comes again, whatever the shares are then', async () => {
    await control(`learnt = '{"a": 1, "b": 0}', learnt_at = ${bench.clock.now()}`);
    const [leadId = ''] = await send(1);
    await control(`learnt = '{"a": 0, "b": 1}'`);
    await bench.clock.advance(200 * DAY);
    expect((await enrol(bench, at.ws, at.flow, [leadId]))[0]?.skipped).to.equal(null);
    await at.handle.quiet();
    expect(await armOf(leadId)).to.equal('a');
    const counts = await count();
    expect(
      counts.map((arm) => [arm.branch, arm.exposures]),
      'counted once',
    ).to.deep.equal([['a', 1]]);
  });

  it('an exposure is pending until its window has passed, also when the answer is there; later answers are misses', async () => {
    const [early = '', late = '', away = ''] = await send(3);
    await answer(early, HOUR);
    await answer(late, 80 * HOUR);
    await answer(away, HOUR, 'out_of_office');
    await bench.clock.advance(71 * HOUR);
    const sum = async (field: 'exposures' | 'matured' | 'successes') =>
      (await count()).reduce((all, arm) => all + arm[field], 0);
    expect([await sum('exposures'), await sum('matured'), await sum('successes')]).to.deep.equal([3, 0, 0]);
    await bench.clock.advance(HOUR);
    expect([await sum('matured'), await sum('successes')]).to.deep.equal([3, 1]);
  });

  it('of many runs the newest are counted whose window may have passed, and each as when all are', async () => {
    const leads = await send(6);
    for (const leadId of leads) await answer(leadId, HOUR);
    await bench.clock.advance(DAY);
    await send(5);
    await bench.clock.advance(2 * DAY);
    const newest = (most: number) =>
      bench.app.tx({ kind: 'platform' }, (tx) =>
        countArms(
          tx,
          { workspaceId: at.ws, workflowId: at.flow, nodeId: 'split', now: bench.clock.now(), silent: ['a', 'b'] },
          { metric: 'replied', maturityHours: 72, since: 0 },
          most,
        ),
      );
    const sum = (counts: readonly { exposures: number; matured: number; successes: number }[]): number[] => [
      counts.reduce((all, arm) => all + arm.exposures, 0),
      counts.reduce((all, arm) => all + arm.matured, 0),
      counts.reduce((all, arm) => all + arm.successes, 0),
    ];
    expect(sum(await count())).to.deep.equal([11, 6, 6]);
    expect(sum(await newest(100))).to.deep.equal([6, 6, 6]);
    expect(sum(await newest(4))).to.deep.equal([4, 4, 4]);
  });

  it('learns once a day from matured outcomes, and the floor keeps every arm alive', async () => {
    const leads = await send(60);
    for (const leadId of leads) if ((await armOf(leadId)) === 'b') await answer(leadId, 70 * HOUR);
    expect(await learn()).to.equal(1);
    expect(await shares(), 'nothing matured').to.deep.equal({ a: 0.5, b: 0.5 });
    await bench.clock.advance(DAY - 1);
    expect(await learn()).to.equal(0);
    await bench.clock.advance(3 * DAY);
    expect(await learn()).to.equal(1);
    expect((await shares())['b']).to.be.closeTo(0.95, 0.001);
    expect((await shares())['a']).to.be.closeTo(0.05, 0.001);
  });

  it('what a person changed while outcomes were counted stands: neither shares from before a reset, nor of another metric', async () => {
    const leads = await send(30);
    for (const leadId of leads) if ((await armOf(leadId)) === 'b') await answer(leadId, HOUR);
    await bench.clock.advance(4 * DAY);
    const left = () => query(bench, 'select learnt, learnt_at from split_control where workflow_id = $1', [at.flow]);
    await learn(() => control(`since = ${bench.clock.now()}, learnt = null, learnt_at = null`));
    expect(await left()).to.deep.equal([{ learnt: null, learnt_at: null }]);
    await control('since = 0');
    await learn(() => control(`metric = 'meeting', learnt_at = null`));
    expect(await left()).to.deep.equal([{ learnt: null, learnt_at: null }]);
    await control('metric = null');
    expect(await learn()).to.equal(1);
    expect((await shares())['b']).to.be.closeTo(0.95, 0.001);
  });

  it('tells once that a split has a winner, and anew after a reset', async () => {
    const told = () =>
      query(bench, `select data from run_event where workspace_id = $1 and kind = 'split.winner_ready'`, [at.ws]);
    const round = async (): Promise<void> => {
      await bench.clock.advance(4 * DAY);
      await learn();
    };
    const passed = { a: 0, b: 0 };
    for (const leadId of await send(90)) {
      const arm = (await armOf(leadId)) as 'a' | 'b';
      const isFifth = passed[arm]++ % 5 === 0;
      // One in five of a, four in five of b.
      if (isFifth === (arm === 'a')) await answer(leadId, HOUR);
    }
    await control(`min_exposures = 10`);
    await round();
    const event = { workflowId: at.flow, campaignId: at.camp, nodeId: 'split', winner: 'b' };
    expect(await told()).to.deep.equal([{ data: event }]);
    await control(`mode = 'fixed', learnt_at = null`);
    await round();
    expect(await told(), 'the winner is known').to.have.length(1);
    await control(`mode = 'fixed', since = 1`);
    await round();
    expect(await told(), 'of other exposures').to.have.length(2);
  });

  it('a split that is paused or promoted learns nothing', async () => {
    await control(`mode = 'paused'`);
    expect(await learn()).to.equal(0);
    await control(`mode = 'bandit', promoted = 'a'`);
    expect(await learn()).to.equal(0);
  });
});
