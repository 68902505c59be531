import { expect } from 'chai';
import { type Controlled, ExecutionFixture, type RunRead } from '../../../fixtures/tools/execution-fixture.ts';
import { type McpFixture, missing, NOBODY, startMcpFixture } from '../../../fixtures/tools/mcp-fixture.ts';

describe('svc_control_workflow_runs', () => {
  let fixture: McpFixture;
  let runs: ExecutionFixture;

  before(async function () {
    this.timeout(60_000);
    fixture = await startMcpFixture(30);
    runs = new ExecutionFixture(fixture);
  });
  after(() => fixture.tools.stop());

  const started = (count: number): ReturnType<ExecutionFixture['started']> => runs.started(count);
  const read = (runId: string): Promise<RunRead> => runs.read(runId);
  const control = (runIds: string[], action: string, more: object = {}): Promise<Controlled> =>
    runs.control(runIds, action, more);

  it('pause keeps the place until a time, resume goes on, stop ends with the reason', async () => {
    const { runIds } = await started(1);
    const [runId = ''] = runIds;
    await control(runIds, 'pause', { resumeAt: '2026-04-01T00:00:00Z' });
    expect((await read(runId)).run).to.include({ state: 'paused', nextActionAt: '2026-04-01T00:00:00.000Z' });
    await control(runIds, 'resume');
    expect((await read(runId)).run).to.include({ state: 'waiting' });
    await control(runIds, 'stop', { reason: 'asked by phone' });
    const { run, timeline } = await read(runId);
    expect(run).to.include({ state: 'stopped', endReason: 'asked by phone', nextActionAt: null });
    expect(timeline.at(-1)).to.deep.include({ kind: 'run.completed', text: 'asked by phone' });
  });

  it('a pause may be given another end, and nothing takes a time or a node that it has no use for', async () => {
    const { runIds } = await started(1);
    const [runId = ''] = runIds;
    const until = async (resumeAt?: string): Promise<unknown> => {
      const { changed } = await control(runIds, 'pause', resumeAt ? { resumeAt } : {});
      const { run } = await read(runId);
      return [changed, run.state, run.nextActionAt];
    };
    const [march, april] = ['2026-03-20T00:00:00.000Z', '2026-04-01T00:00:00.000Z'];
    expect(await until(march)).to.deep.equal([1, 'paused', march]);
    expect(await until(march), 'made again').to.deep.equal([0, 'paused', march]);
    expect(await until(april)).to.deep.equal([1, 'paused', april]);
    expect(await until()).to.deep.equal([1, 'paused', null]);
    const refused = (action: string, more: object): Promise<string> =>
      fixture.acme.refusal('svc_control_workflow_runs', { runIds, action, ...more });
    expect(await refused('stop', { resumeAt: april })).to.equal('Invalid input: resumeAt: is for pause alone');
    expect(await refused('pause', { resumeAt: '2020-01-01T00:00:00Z' })).to.equal(
      'Invalid input: resumeAt: has passed already',
    );
    expect(await refused('stop', { nodeId: 'x' })).to.equal(
      'Invalid input: nodeId: is for move alone. Call svc_get_workflow to find valid IDs.',
    );
    expect((await read(runId)).run.state).to.equal('paused');
    await control(runIds, 'stop');
  });

  it('a call that waited for another one, which waited for it, is taken back and done behind it, once', async () => {
    // The one who began to wait first is taken back, unless the other one began more than a second later: then once more.
    let runIds: string[] = [];
    let paused: ReturnType<typeof control> | undefined;
    const crossed = (): Promise<void> =>
      fixture.tools.cluster.db.tx({ kind: 'platform' }, async (tx) => {
        const [first = '', last = ''] = runIds.toSorted();
        await tx.rows('select 1 from run where id = $1 for update', [last]);
        paused = control([first, last], 'pause');
        while ((await fixture.tools.rows('select 1 from pg_locks where not granted')).length === 0);
        await tx.exec('update run set version = version where id = $1', [first]);
      });
    for (let done = false; !done; ) {
      ({ runIds } = await started(2));
      done = await crossed().then(
        () => true,
        (error: { code?: string }) => {
          if (error.code !== '40P01') throw error;
          return false;
        },
      );
    }
    expect(await paused).to.deep.equal({ changed: 2, unchanged: [], notFound: [], notes: [] });
    for (const runId of runIds) {
      const { run, timeline } = await read(runId);
      expect(run.state).to.equal('paused');
      expect(timeline.filter(({ data }) => data['action'] === 'pause')).to.have.length(1);
    }
  });

  it('a call that the database takes back again and again says to call again', async () => {
    const { runIds } = await started(1);
    await fixture.tools.force(`create function outrider.refuse_pauses() returns trigger language plpgsql as $$
      begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`);
    await fixture.tools.force(`create trigger refuse_pauses before update on outrider.run for each row
      when (new.state = 'paused') execute function outrider.refuse_pauses()`);
    const refused = await fixture.acme.refusal('svc_control_workflow_runs', { runIds, action: 'pause' });
    await fixture.tools.force('drop function outrider.refuse_pauses cascade');
    expect(refused).to.match(/^svc_control_workflow_runs met another change .* Call it again/);
    for (const runId of runIds) expect((await read(runId)).run.state).to.not.equal('paused');
  });

  it('retry takes up a failed run, and never repeats a send that may have happened', async () => {
    const { runIds } = await started(1);
    const [runId = ''] = runIds;
    const fail = (): Promise<unknown> =>
      fixture.tools.rows(`update run set state = 'failed', ended_at = 5, node_id = 'view' where id = $1`, [runId]);
    await fail();
    expect(await control(runIds, 'retry')).to.deep.include({ changed: 1 });
    await fixture.tools.rows(
      `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at)
       select gen_random_uuid(), workspace_id, workflow_id, campaign_id, id, 'view', lead_id, person_id, $2, 'message', 'unknown', 1, 1 from run where id = $1`,
      [runId, fixture.accountId],
    );
    await fail();
    expect((await control(runIds, 'retry')).unchanged[0]?.message).to.match(
      /unknown; it is never repeated\. Call svc_get_workflow_run\./,
    );
  });

  it('changes what it can, and says of each other one why its state does not allow it', async () => {
    const { runIds } = await started(2);
    const [stopped = '', live = ''] = runIds;
    await control([stopped], 'stop');
    const answer = await control(runIds, 'pause');
    expect(answer).to.deep.equal({
      changed: 1,
      unchanged: [{ runId: stopped, message: 'The run has ended (stopped). Call svc_get_workflow_run.' }],
      notFound: [],
      notes: [],
    });
    expect((await control([live], 'retry')).unchanged[0]?.message).to.equal(
      'The run is paused, not failed. Call svc_get_workflow_run.',
    );
  });

  it('move needs a node of the graph; a run that is not there costs itself alone', async () => {
    const { runIds } = await started(1);
    const [runId = ''] = runIds;
    const refusal = (more: object): Promise<string> =>
      fixture.acme.refusal('svc_control_workflow_runs', { runIds, action: 'move', ...more });
    expect(await refusal({})).to.equal(
      'Invalid input: nodeId: is required for move. Call svc_get_workflow to find valid IDs.',
    );
    expect(await refusal({ nodeId: 'none' })).to.equal(missing('Workflow node', 'none', 'svc_get_workflow'));
    expect(await refusal({ nodeId: 'wait', runIds: [NOBODY] })).to.equal(
      missing('Workflow run', NOBODY, 'svc_list_workflow_runs'),
    );
    expect((await read(runId)).run.state).to.equal('queued');
    expect(await control([runId, NOBODY], 'move', { nodeId: 'wait' })).to.deep.include({
      changed: 1,
      notFound: [NOBODY],
    });
    expect(await fixture.rival.refusal('svc_control_workflow_runs', { runIds, action: 'stop' })).to.equal(
      missing('Workflow run', runId, 'svc_list_workflow_runs'),
    );
  });
});
