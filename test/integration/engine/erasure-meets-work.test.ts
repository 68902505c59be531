import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { type Bench, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import {
  chain,
  DAY,
  lead,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';
import { eventually } from '../../tools/kube.ts';

describe('an erasure that meets a batch of the executor', function () {
  this.timeout(60_000);
  let bench: Bench;
  let batch: pg.Client;
  let at: WorkflowFixture;
  before(async () => {
    bench = await openBench();
    batch = new pg.Client({ connectionString: bench.ownerUrl, options: '-c search_path=outrider,app,public' });
    await batch.connect();
    at = await workflowFixture(
      bench,
      chain({ nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } }),
    );
  });
  after(async () => {
    await batch.end();
    await bench.close();
  });

  /** A message to the person of the run, made in the transaction that has locked the run and not ended yet. */
  const write = (runId: string, state: string): Promise<unknown> =>
    batch.query(
      `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, body, target, claimed_at, dispatched_at)
       select $2, r.workspace_id, r.workflow_id, r.campaign_id, r.id, 'n', r.lead_id, r.person_id, $3, 'message', $4, 1, 'Hello Ada', '{"to": "ada"}', 1, 1 from run r where r.id = $1`,
      [runId, randomUUID(), at.account, state],
    );

  for (const [state, words] of [
    ['confirmed', null],
    ['dispatched', 'Hello Ada'],
  ] as const) {
    it(`takes the text that is being written for the person (${state})`, async () => {
      const { leadId } = await lead(bench, at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      const { id } = await runOf(bench, leadId);
      await batch.query('begin');
      await batch.query('select 1 from run where id = $1 for no key update', [id]);
      const erasure = query(bench, 'select app.erase_lead($1, $2, 1, false)', [at.ws, leadId]);
      await eventually('the erasure waits for the run', async () => (await waiting()) > 0);
      await write(id, state);
      await batch.query('commit');
      await erasure;
      expect(await query(bench, 'select body from send where run_id = $1', [id])).to.deep.equal([{ body: words }]);
      // What may be under way is looked up by its text, and forgotten then.
      await query(bench, `update send set state = 'confirmed' where run_id = $1`, [id]);
      await query(bench, 'select app.forget_settled(100)');
      expect(await query(bench, 'select body, target from send where run_id = $1', [id])).to.deep.equal([
        { body: null, target: {} },
      ]);
    });
  }

  it('ends the run that takes the person over meanwhile', async () => {
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    const { id } = await runOf(bench, leadId);
    await batch.query('begin');
    await batch.query('select 1 from run where id = $1 for no key update', [id]);
    const erasure = query(bench, 'select app.erase_lead($1, $2, 1, false)', [at.ws, leadId]);
    await eventually('the erasure waits for the run', async () => (await waiting()) > 0);
    // As app.hand_off does.
    await batch.query(`update run set state = 'completed', ended_at = 1, due_at = null where id = $1`, [id]);
    await batch.query(
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, due_at, entered_at, started_at)
       select $2, workspace_id, workflow_id, campaign_id, lead_id, person_id, 1, '', 'queued', 1, 1, 1 from run where id = $1`,
      [id, randomUUID()],
    );
    await batch.query('commit');
    await erasure;
    expect(await query(bench, 'select state from run where lead_id = $1 order by state', [leadId])).to.deep.equal([
      { state: 'completed' },
      { state: 'suppressed' },
    ]);
  });

  async function waiting(): Promise<number> {
    const { rows } = await batch.query(
      `select 1 from pg_locks l where not l.granted and l.pid in (select a.pid from pg_stat_activity a where a.datname = current_database())`,
    );
    return rows.length;
  }
});
