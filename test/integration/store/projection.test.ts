import { expect } from 'chai';
import pg from 'pg';
import type { ApiObject } from '../../../pkg/api/object.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { projectCampaign, tombstoneCampaign } from '../../../pkg/store/resources/project-campaign.ts';
import {
  projectWorkflow,
  tombstoneWorkflow,
  type WorkflowContext,
} from '../../../pkg/store/resources/project-workflow.ts';
import { projectWorkspace, tombstoneWorkspace } from '../../../pkg/store/resources/project-workspace.ts';
import { enrolLeads } from '../../../pkg/store/runs/enrol.ts';
import { testPostgres } from '../../tools/postgres.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const context: WorkflowContext = {
  now: NOW,
  homeNamespace: 'outrider',
  ids: systemIds,
  checker: {
    version: 'v1',
    problemsOf: (graph) => (graph.nodes.some((n) => n.nodeType === 'bad') ? ['bad node'] : []),
  },
};

interface Change {
  uid?: string;
  generation?: number;
  created?: string;
  namespace?: string;
}

function object(name: string, spec: object, change: Change = {}): ApiObject {
  const { uid = `uid-${name}`, generation = 1, created = '2026-01-01T00:00:00Z', namespace = 'outrider' } = change;
  return { metadata: { name, namespace, uid, generation, creationTimestamp: created, resourceVersion: '1' }, spec };
}

const workspace = (name = 'acme', change: Change = {}): ApiObject =>
  object(name, { displayName: 'Acme', owner: 'Owner@Acme.example' }, change);
const campaign = (spec: object = {}, change: Change = {}): ApiObject =>
  object('camp', { workspaceRef: { name: 'acme' }, title: 'T', ...spec }, change);
const MESSAGE = { nodeType: 'network:message', label: 'Hello' };
const workflow = (spec: object = {}, change: Change = {}): ApiObject =>
  object('flow', { campaignRef: { name: 'camp' }, name: 'W', graph: { nodes: [MESSAGE], edges: [] }, ...spec }, change);

describe('projection', () => {
  let db: Database;
  let superuserUrl = '';

  beforeEach(async () => {
    const { appUrl, superuserUrl: url } = await (await testPostgres()).product();
    superuserUrl = url;
    db = new Database({ url: appUrl, max: 4, applicationName: 'test' });
  });
  afterEach(() => db.close());

  const tx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx({ kind: 'platform' }, work);
  const one = <T>(sql: string): Promise<T> => tx(async (t) => (await t.row<T>(sql)) as T);
  const setUp = async (): Promise<void> => {
    await tx((t) => projectWorkspace(t, workspace(), context));
    await tx((t) => projectCampaign(t, campaign(), context));
  };

  it('is idempotent and guarded by generation', async () => {
    await setUp();
    expect(await tx((t) => projectCampaign(t, campaign(), context))).to.equal('unchanged');
    expect(await tx((t) => projectCampaign(t, campaign({ title: 'New' }, { generation: 3 }), context))).to.equal(
      'projected',
    );
    expect(await tx((t) => projectCampaign(t, campaign({ title: 'Old' }, { generation: 2 }), context))).to.equal(
      'stale',
    );
    expect(await one('select title, generation from campaign')).to.deep.equal({ title: 'New', generation: 3 });
  });

  it('what a manifest says of people, zones and countries is read as an import reads it', async () => {
    const typed = (spec: object, generation: number): ApiObject =>
      object('acme', { displayName: 'Acme', owner: 'o@acme.example', ...spec }, { generation });
    const hours = { timezone: 'W. Europe Standard Time', holidayCountry: 'UK' };
    const spec = { owner: '<Jo@Acme.EXAMPLE>', timezone: ' america/new_york', agencyId: ' blue', businessHours: hours };
    await tx((t) => projectWorkspace(t, typed(spec, 1), context));
    expect(
      await one(
        `select u.email, w.timezone, w.agency_id, w.business_hours ->> 'timezone' as zone, w.business_hours ->> 'holidayCountry' as country
         from workspace w join app_user u on u.id = w.owner_user_id`,
      ),
    ).to.deep.equal({
      email: 'jo@acme.example',
      timezone: 'America/New_York',
      agency_id: 'blue',
      zone: 'Europe/Berlin',
      country: 'GB',
    });
    await tx((t) => projectCampaign(t, campaign({ businessHours: { timezone: 'europe/paris' } }), context));
    expect(await one(`select settings -> 'businessHours' ->> 'timezone' as zone from campaign`)).to.deep.equal({
      zone: 'Europe/Paris',
    });
    for (const owner of ['jo@acme', 'jo,@acme.example', 'https://acme.example/@jo', 'a@b.example,c@d.example']) {
      const refused = await tx((t) => projectWorkspace(t, typed({ owner }, 2), context)).catch(
        (error: unknown) => error,
      );
      expect(refused, owner).to.include({ reason: 'InvalidSpec' });
    }
    expect(await one('select count(*)::int as users from app_user')).to.deep.equal({ users: 1 });
  });

  it('points of signals that change make scores stale, no matter who changed them, and nothing else does', async () => {
    await setUp();
    await tx((t) =>
      t.exec(
        `insert into icp (id, workspace_id, campaign_id, scores_stale, scored_at, created_at) values (gen_random_uuid(), 'acme', 'camp', false, 1, 1)`,
      ),
    );
    const staleAfter = async (spec: object, generation: number): Promise<unknown> => {
      await tx((t) => projectCampaign(t, campaign(spec, { generation }), context));
      return one('select scores_stale as stale from icp');
    };
    expect(await staleAfter({ title: 'New', scoreMin: 60 }, 2)).to.deep.equal({ stale: false });
    expect(await staleAfter({ title: 'New', signalWeights: { new_post: 9 } }, 3)).to.deep.equal({ stale: true });
  });

  it('makes the user of an unknown owner, and the owner a member', async () => {
    await setUp();
    const row = await one(`select u.email, m.role from member m join app_user u on u.id = m.user_id`);
    expect(row).to.deep.equal({ email: 'Owner@Acme.example', role: 'owner' });
  });

  it('shows objects of other namespaces under a qualified id', async () => {
    await tx((t) => projectWorkspace(t, workspace('acme', { namespace: 'tenant-a' }), context));
    expect(await one('select id from workspace')).to.deep.equal({ id: 'tenant-a.acme' });
  });

  it('refuses a reference to what is not there', async () => {
    const failure = await tx((t) => projectCampaign(t, campaign(), context)).catch((error: unknown) => error);
    expect(failure).to.include({ name: 'UserError', reason: 'RefNotFound' });
  });

  it('text that no row can hold is refused by its field, also deep in a graph', async () => {
    await setUp();
    const refused = async (work: (t: Tx) => Promise<unknown>): Promise<unknown> =>
      tx(work).catch(({ name, reason, message }: Error & { reason: string }) => ({ name, reason, message }));
    const said = (path: string) => ({
      name: 'UserError',
      reason: 'InvalidSpec',
      message: `${path}: holds a NUL character`,
    });
    expect(
      await refused((t) => projectCampaign(t, campaign({ title: 'a\u0000' }, { generation: 2 }), context)),
    ).to.deep.equal(said('spec.title'));
    const graph = { nodes: [{ nodeType: 'network:message', config: { text: 'a\u0000' } }], edges: [] };
    expect(await refused((t) => projectWorkflow(t, workflow({ graph }), context))).to.deep.equal(
      said('spec.graph.nodes.0.config.text'),
    );
  });

  it('hours of a country or zone that nobody knows never come into force, and a stop beside them does', async () => {
    await setUp();
    const hours = { holidayCountry: 'DE', startHour: 8 };
    await tx((t) =>
      projectCampaign(t, campaign({ state: 'active', businessHours: hours }, { generation: 2 }), context),
    );
    const wrong = { businessHours: { holidayCountry: 'XX', startHour: 6 } };
    await tx((t) => projectCampaign(t, campaign({ state: 'paused', ...wrong }, { generation: 3 }), context));
    const row = await one<{ state: string; hours: object }>(
      `select state, settings -> 'businessHours' as hours from campaign`,
    );
    expect(row.state).to.equal('paused');
    expect(row.hours).to.include({ holidayCountry: 'DE', startHour: 8 });
    const spec = { displayName: 'Acme', owner: 'o@acme.example', operatingMode: 'Suspended', timezone: 'Mars/Base' };
    await tx((t) => projectWorkspace(t, object('acme', spec, { generation: 2 }), context));
    expect(await one('select operating_mode, timezone from workspace')).to.deep.equal({
      operating_mode: 'Suspended',
      timezone: 'UTC',
    });
    const fresh = object('new', { ...spec, operatingMode: 'Running' });
    const failure = await tx((t) => projectWorkspace(t, fresh, context)).catch((error: unknown) => error);
    expect(failure).to.include({ reason: 'InvalidHours' });
  });

  it('activates a draft campaign when its first workflow is enabled, and keeps it active', async () => {
    await setUp();
    await tx((t) => projectWorkflow(t, workflow({ enabled: true }), context));
    expect(await one('select state from campaign')).to.deep.equal({ state: 'active' });
    await tx((t) => projectWorkflow(t, workflow({ enabled: false }, { generation: 2 }), context));
    await tx((t) => projectCampaign(t, campaign({ title: 'Other' }, { generation: 2 }), context));
    expect(await one('select state from campaign')).to.deep.equal({ state: 'active' });
  });

  it('wakes the workspace of an enabled workflow', async () => {
    await setUp();
    await tx((t) => projectWorkflow(t, workflow({ enabled: true }), context));
    expect(await one(`select workspace_id, due_at <= ${NOW} as due from workspace_wake`)).to.deep.equal({
      workspace_id: 'acme',
      due: true,
    });
  });

  it('a changed workspace looks again, no matter who changed it: other hours may let leads go sooner', async () => {
    await setUp();
    const changed = (generation: number, spec: object): ApiObject =>
      object('acme', { displayName: 'Acme', owner: 'owner@acme.example', ...spec }, { generation });
    const wakes = (): Promise<{ n: number }> => one('select count(*)::int as n from workspace_wake');
    await tx((t) => projectWorkspace(t, changed(2, { timezone: 'Europe/Berlin' }), context));
    expect(await wakes(), 'nobody to look').to.deep.equal({ n: 0 });
    await tx((t) => projectWorkflow(t, workflow({ enabled: true }), context));
    await tx((t) => t.exec('delete from workspace_wake'));
    await tx((t) => projectWorkspace(t, changed(3, { timezone: 'UTC' }), context));
    expect(await one('select due_at, reason from workspace_wake')).to.deep.equal({
      due_at: NOW,
      reason: 'workspace changed',
    });
    await tx((t) => t.exec('delete from workspace_wake'));
    await tx((t) => projectWorkspace(t, changed(4, { operatingMode: 'Suspended' }), context));
    expect(await wakes(), 'suspended').to.deep.equal({ n: 0 });
  });

  it('makes a graph version only when the graph changed', async () => {
    await setUp();
    await tx((t) => projectWorkflow(t, workflow(), context));
    await tx((t) => projectWorkflow(t, workflow({ name: 'Renamed' }, { generation: 2 }), context));
    expect(await one('select graph_version, node_count, name from workflow')).to.deep.equal({
      graph_version: 1,
      node_count: 2,
      name: 'Renamed',
    });
    const nodes = [{ ...MESSAGE, config: { text: 'Hi' } }];
    await tx((t) => projectWorkflow(t, workflow({ graph: { nodes, edges: [] } }, { generation: 3 }), context));
    const graph = await one<{ graph: { nodes: { nodeId: string }[] } }>(
      'select graph from workflow_graph where version = 2',
    );
    expect(graph.graph.nodes[0]?.nodeId).to.equal('hello');
  });

  it('keeps the old version in force when the new graph is not valid, and heals', async () => {
    await setUp();
    await tx((t) => projectWorkflow(t, workflow(), context));
    const bad = { graph: { nodes: [{ nodeType: 'bad' }], edges: [] } };
    await tx((t) => projectWorkflow(t, workflow(bad, { generation: 2 }), context));
    expect(await one('select graph_version, graph_problem from workflow')).to.deep.equal({
      graph_version: 1,
      graph_problem: 'InvalidGraph: bad node',
    });
    const newer = { ...context, checker: { version: 'v2', problemsOf: () => [] } };
    expect(await tx((t) => projectWorkflow(t, workflow(bad, { generation: 2 }), newer))).to.equal('projected');
    expect(await one('select graph_version, graph_problem from workflow')).to.deep.equal({
      graph_version: 2,
      graph_problem: null,
    });
  });

  it('NodeIdentityLost: an edit that loses a node with sends leaves the old version in force until its runs end', async () => {
    await setUp();
    await tx((t) => projectWorkflow(t, workflow({ enabled: true }), context));
    await tx(addSentRun);
    const graph = { nodes: [{ nodeType: 'network:message', label: 'Hi there' }], edges: [] };
    await tx((t) => projectWorkflow(t, workflow({ enabled: true, graph }, { generation: 2 }), context));
    const row = await one<{ graph_version: number; graph_problem: string }>(
      'select graph_version, graph_problem from workflow',
    );
    expect(row.graph_version).to.equal(1);
    expect(row.graph_problem).to.match(/^NodeIdentityLost: .*"hello"/);
    const again = () => tx((t) => projectWorkflow(t, workflow({ enabled: true, graph }, { generation: 2 }), context));
    expect(await again()).to.equal('unchanged');
    await tx((t) => t.exec(`update run set state = 'completed', ended_at = ${NOW}, due_at = null`));
    expect(await again()).to.equal('projected');
    expect(await one('select graph_version, graph_problem from workflow')).to.deep.equal({
      graph_version: 2,
      graph_problem: null,
    });
  });

  it('deletion stops runs, cancels claimed sends and keeps the proof; a new incarnation works at once', async () => {
    await setUp();
    await tx((t) => projectWorkflow(t, workflow({ enabled: true }), context));
    await tx(addSentRun);
    await tx((t) => tombstoneCampaign(t, 'camp', NOW + 1));
    expect(await one('select state, end_reason from run')).to.deep.equal({
      state: 'stopped',
      end_reason: 'the workflow was deleted',
    });
    expect(await one(`select count(*) as n from send where state = 'confirmed'`)).to.deep.equal({ n: 1 });
    expect(await tx((t) => projectCampaign(t, campaign(), context)), 'an event of the deleted object').to.equal(
      'stale',
    );
    const created = '2026-02-01T00:00:00Z';
    await tx((t) => projectCampaign(t, campaign({}, { uid: 'second', created }), context));
    await tx((t) => projectWorkflow(t, workflow({ enabled: true }, { uid: 'second', created }), context));
    expect(await one('select enabled, deleted_at, graph_version from workflow')).to.deep.equal({
      enabled: true,
      deleted_at: null,
      graph_version: 1,
    });
  });

  it('the name of a deleted workspace comes back with its owner, and never becomes somebody else’s', async () => {
    await setUp();
    await tx((t) => tombstoneWorkspace(t, 'acme', NOW + 1));
    const created = '2026-02-01T00:00:00Z';
    const other = object('acme', { displayName: 'Theirs', owner: 'new@customer.example' }, { uid: 'second', created });
    const failure = await tx((t) => projectWorkspace(t, other, context)).catch((error: unknown) => error);
    expect(failure).to.include({ name: 'UserError', reason: 'NameTaken' });
    expect(await one('select name, deleted_at from workspace')).to.deep.equal({ name: 'Acme', deleted_at: NOW + 1 });
    const back = object('acme', { displayName: 'Back', owner: 'owner@acme.EXAMPLE' }, { uid: 'second', created });
    expect(await tx((t) => projectWorkspace(t, back, context))).to.equal('projected');
    const handed = object('acme', other.spec as object, { uid: 'second', created, generation: 2 });
    expect(await tx((t) => projectWorkspace(t, handed, context))).to.equal('projected');
    expect(await one('select name from workspace')).to.deep.equal({ name: 'Theirs' });
  });

  it('deletion ends all runs, however many a statement takes', async () => {
    await setUp();
    await tx((t) => projectWorkflow(t, workflow({ enabled: true }), context));
    await tx((t) =>
      t.exec(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
         select gen_random_uuid(), 'acme', 'flow', 'camp', gen_random_uuid(), 1, 'hello', 'waiting', 1, 1, 1 from generate_series(1, 25)`,
      ),
    );
    await tx((t) => tombstoneWorkflow(t, 'flow', NOW, 10));
    expect(await one(`select count(*) as n from run where state = 'stopped' and ended_at = ${NOW}`)).to.deep.equal({
      n: 25,
    });
    expect(await one(`select count(*) as n from run_event where kind = 'run.completed'`)).to.deep.equal({ n: 25 });
  });

  it('the proof outlives the object: after delete and re-apply only people whom nobody contacted are enrolled', async () => {
    await setUp();
    const leads = [systemIds.uuid(), systemIds.uuid()];
    const enrol = (now: number) =>
      tx((t) =>
        enrolLeads(t, {
          workspaceId: 'acme',
          workflowId: 'flow',
          now,
          leads: leads.map((leadId) => ({ leadId, runId: systemIds.uuid() })),
          source: 'trigger',
        }),
      );
    await tx(async (t) => {
      await projectWorkflow(t, workflow({ enabled: true }), context);
      for (const [index, id] of leads.entries()) {
        await t.exec(
          `insert into lead (id, workspace_id, full_name, profile_id, created_at, updated_at) values ($1, 'acme', 'L', $2, 1, 1)`,
          [id, `p${index}`],
        );
      }
    });
    expect((await enrol(NOW)).map((one) => one.skipped)).to.deep.equal([null, null]);
    await asSuperuser(
      superuserUrl,
      `insert into contact_log (person_id, workspace_id, campaign_id, workflow_id, account_id, last_at)
      select person_id, 'acme', 'camp', 'flow', 'a', ${NOW} from lead where id = '${leads[0]}'`,
    );
    await tx((t) => tombstoneCampaign(t, 'camp', NOW + 1));
    const created = '2026-02-01T00:00:00Z';
    await tx((t) => projectCampaign(t, campaign({}, { uid: 'second', created }), context));
    await tx((t) => projectWorkflow(t, workflow({ enabled: true }, { uid: 'second', created }), context));
    const again = await enrol(NOW + 2);
    expect(again.find((one) => one.leadId === leads[0])?.skipped, 'contacted').to.equal('claimed');
    expect(again.find((one) => one.leadId === leads[1])?.skipped, 'not contacted').to.equal(null);
  });

  it('an older incarnation of a name never overwrites a newer one', async () => {
    await setUp();
    await tx((t) => projectWorkflow(t, workflow({}, { uid: 'new', created: '2026-02-01T00:00:00Z' }), context));
    const old = workflow({ name: 'Old' }, { uid: 'old', created: '2026-01-01T00:00:00Z', generation: 9 });
    expect(await tx((t) => projectWorkflow(t, old, context))).to.equal('stale');
    await tx((t) => tombstoneWorkflow(t, 'flow', NOW));
    expect(await tx((t) => projectWorkflow(t, old, context))).to.equal('stale');
  });

  it('refuses an id whose history is another workspace', async () => {
    await setUp();
    await tx((t) => projectWorkspace(t, workspace('other'), context));
    await tx((t) => tombstoneCampaign(t, 'camp', NOW));
    const foreign = campaign({ workspaceRef: { name: 'other' } }, { uid: 'x', created: '2026-02-01T00:00:00Z' });
    const failure = await tx((t) => projectCampaign(t, foreign, context)).catch((error: unknown) => error);
    expect(failure).to.include({ name: 'UserError', reason: 'NameTaken' });
  });
});

async function asSuperuser(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set search_path = outrider');
  await client.query(sql);
  await client.end();
}

async function addSentRun(tx: Tx): Promise<void> {
  const [run, lead, send] = [systemIds.uuid(), systemIds.uuid(), systemIds.uuid()];
  await tx.exec(
    `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
     values ($1, 'acme', 'flow', 'camp', $2, 1, 'hello', 'waiting', $3, $3, $3)`,
    [run, lead, NOW],
  );
  await tx.exec(
    `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at)
     values ($1, 'acme', 'flow', 'camp', $2, 'hello', $3, $3, 'a', 'message', 'confirmed', 1, $4)`,
    [send, run, lead, NOW],
  );
}
