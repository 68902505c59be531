import { expect } from 'chai';
import pg from 'pg';
import type { ApiObject } from '../../../pkg/api/object.ts';
import type { KindName } from '../../../pkg/api/specs.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { endLeftRuns, tombstonePart } from '../../../pkg/store/erasure/tombstones.ts';
import { projectCampaign } from '../../../pkg/store/resources/project-campaign.ts';
import { projectWorkflow, type WorkflowContext } from '../../../pkg/store/resources/project-workflow.ts';
import { projectWorkspace } from '../../../pkg/store/resources/project-workspace.ts';
import { testPostgres } from '../../tools/postgres.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const RUNS = 25;
const PART = 10;
const context: WorkflowContext = {
  now: NOW,
  homeNamespace: 'outrider',
  ids: systemIds,
  checker: { version: 'v1', problemsOf: () => [] },
};

function object(name: string, spec: object, uid = `uid-${name}`, created = '2026-01-01T00:00:00Z'): ApiObject {
  return { metadata: { name, namespace: 'outrider', uid, generation: 1, creationTimestamp: created }, spec };
}

const GRAPH = { nodes: [{ nodeType: 'network:message', label: 'Hello' }], edges: [] };
const workflow = (name: string, uid?: string, created?: string): ApiObject =>
  object(name, { campaignRef: { name: 'camp' }, name, enabled: true, graph: GRAPH }, uid, created);

describe('deletions of what has many runs', () => {
  let db: Database;
  let superuser: pg.Client;

  beforeEach(async () => {
    const { appUrl, superuserUrl } = await (await testPostgres()).product();
    db = new Database({ url: appUrl, max: 4, applicationName: 'test' });
    superuser = new pg.Client({ connectionString: superuserUrl });
    await superuser.connect();
    await superuser.query('set search_path = outrider');
    await tx(async (t) => {
      await projectWorkspace(t, object('acme', { displayName: 'Acme', owner: 'o@acme.example' }), context);
      const spec = { workspaceRef: { name: 'acme' }, title: 'T', state: 'active' };
      await projectCampaign(t, object('camp', spec), context);
      for (const name of ['flow', 'other']) await projectWorkflow(t, workflow(name), context);
      await addRuns(t, 'flow');
      await addRuns(t, 'other');
    });
  });
  afterEach(async () => {
    await superuser.end();
    await db.close();
  });

  const tx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx({ kind: 'platform' }, work);
  const part = (kind: KindName, id: string, most = PART): Promise<boolean> =>
    tx((t) => tombstonePart(t, kind, id, NOW, { most }));
  const one = async <T>(sql: string): Promise<T> => (await superuser.query(sql)).rows[0] as T;
  const live = async (): Promise<number> =>
    (await one<{ n: number }>('select count(*)::int as n from run where ended_at is null')).n;
  const stopped = (flow: string): Promise<{ reason: string | null }> =>
    one(`select app.flow_stop('acme', 'camp', '${flow}') as reason`);

  for (const [kind, id, flows] of [
    ['Workflow', 'flow', ['flow']],
    ['Campaign', 'camp', ['flow', 'other']],
    ['Workspace', 'acme', ['flow', 'other']],
  ] as const) {
    it(`${kind}: nobody is written to from the first part on, and each part ends so many runs at most`, async () => {
      const all = await live();
      expect(await part(kind, id), 'the first').to.equal(false);
      for (const flow of flows) expect(await stopped(flow), flow).to.deep.equal({ reason: 'send_freeze' });
      expect(await live()).to.equal(all - PART);
      let parts = 1;
      while (!(await part(kind, id))) expect(++parts).to.be.lessThan(10);
      expect(await live()).to.equal(all - RUNS * flows.length);
      // Each transaction shows in the rows that it wrote last.
      const written = await one<{ most: number }>(
        `select max(n)::int as most from (select count(*) as n from run where ended_at is not null group by xmin::text) x`,
      );
      expect(written.most).to.equal(PART);
    });
  }

  it('ends as a deletion at once does, however often it was interrupted', async () => {
    while (!(await part('Workflow', 'flow')));
    await part('Workflow', 'other', 1_000);
    const result = (flow: string) =>
      superuser.query(
        `select r.state, r.ended_at, r.end_reason, r.due_at, r.wait_reason, r.version, e.kind, e.text, e.data, count(*)
         from run r left join run_event e on e.run_id = r.id where r.workflow_id = $1 group by 1, 2, 3, 4, 5, 6, 7, 8, 9`,
        [flow],
      );
    const [inParts, atOnce] = [(await result('flow')).rows, (await result('other')).rows];
    expect(inParts).to.deep.equal(atOnce);
    expect(inParts).to.have.length(1);
  });

  it('a new object of the name works with none of the runs that the deletion has not come to', async () => {
    await part('Workflow', 'flow');
    await tx((t) => projectWorkflow(t, workflow('flow', 'second', '2026-02-01T00:00:00Z'), context));
    expect(await live(), 'those of the other workflow').to.equal(RUNS);
    expect(await stopped('flow')).to.deep.equal({ reason: null });
  });

  it('runs that a deletion has left, and the one who began when it happened, end without it', async () => {
    await part('Workflow', 'flow');
    await tx((t) => addRuns(t, 'flow'));
    while (await tx((t) => endLeftRuns(t, NOW, PART)));
    expect(await live(), 'those of the other workflow').to.equal(RUNS);
  });

  it('scores of a deleted campaign go in parts, with the ICPs that were deleted', async () => {
    const [icp, kept] = [systemIds.uuid(), systemIds.uuid()];
    await superuser.query(
      `insert into icp (id, workspace_id, campaign_id, created_at, deleted_at)
       values ($1, 'acme', 'camp', 1, 1), ($2, 'acme', 'camp', 1, null)`,
      [icp, kept],
    );
    await superuser.query(
      `with l as (insert into lead (id, workspace_id, full_name, created_at, updated_at) select gen_random_uuid(), 'acme', 'L', 1, 1 from generate_series(1, 25) returning id)
       insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
       select 'acme', 'camp', i, l.id, 50, 0, 50, 1 from unnest($1::uuid[]) i, l`,
      [[icp, kept]],
    );
    while (!(await part('Campaign', 'camp')));
    const left = await superuser.query('select icp_id, count(*)::int as n from lead_score group by 1');
    expect(left.rows).to.deep.equal([{ icp_id: kept, n: 25 }]);
  });
});

async function addRuns(tx: Tx, flow: string): Promise<void> {
  await tx.exec(
    `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
     select gen_random_uuid(), 'acme', $1, 'camp', gen_random_uuid(), 1, 'hello', 'waiting', 1, 1, 1 from generate_series(1, $2::int)`,
    [flow, RUNS],
  );
}
