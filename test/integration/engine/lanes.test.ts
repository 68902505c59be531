import { expect } from 'chai';
import { type Bench, change, openBench, query } from './harness.ts';
import { chain, place } from './place.ts';

/** Batches grow to 1,000 runs, and two of them are left then. */
const BACKLOG = 6_000;

const WAIT = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 86_400_000 } };

describe('engine: a backlog', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  it('is worked on by two lanes, also when batches have grown as large as they get; each run is stepped once', async () => {
    const { ws, flow, camp, handle } = await place(bench, chain(WAIT, WAIT));
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
});
