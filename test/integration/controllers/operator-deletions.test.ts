import { createHash } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { campaignSpec } from '../../../pkg/api/campaign.ts';
import { workflowSpec } from '../../../pkg/api/workflow.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { reconcileCampaign } from '../../../pkg/controllers/campaign/campaign-controller.ts';
import type { OperatorContext } from '../../../pkg/controllers/context.ts';
import { resourcesBehind } from '../../../pkg/controllers/restore/resources-behind.ts';
import { projectWorkspace } from '../../../pkg/store/resources/project-workspace.ts';
import { bringBack, reviveRuns } from '../../../pkg/store/restore/bring-back.ts';
import { freezeForRestore, RESOURCES_KEY } from '../../../pkg/store/restore/restore-guard.ts';
import { settleBehind } from '../../../pkg/store/restore/restore-lift.ts';
import { findKey } from '../../../pkg/store/tenancy/api-keys.ts';
import { RESOURCES } from '../../../pkg/tools/resources/kinds.ts';
import { ACME, CAMP, FLOW, fixtureOf, NAMESPACE, OWF } from '../../fixtures/controllers/operator-fixture.ts';
import { intentOf } from '../../tools/intent-of.ts';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';

describe('operator: deletions', () => {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await startTestCluster();
    await cluster.node();
  });
  afterEach(() => cluster.stop());
  /** The workspace goes whatever is below it. */
  async function deleteByForce(): Promise<void> {
    await cluster.client.mergePatch(
      RESOURCES.Workspace,
      { name: 'acme', namespace: NAMESPACE },
      { metadata: { annotations: { 'outrider.dev/force-delete': 'true' } } },
      { fieldManager: 'kubectl' },
    );
    await cluster.client.delete(RESOURCES.Workspace, { name: 'acme', namespace: NAMESPACE });
  }
  const { apply, applyAll, status, condition, ready, row, pod, wake, lease } = fixtureOf(() => cluster);

  it('counts what is left when something below a workspace was deleted', async () => {
    await cluster.operator();
    await applyAll();
    await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
    const counts = async (of: string): Promise<string> => JSON.stringify((await status(of)).counts);
    await eventually(
      'counted',
      async () =>
        (await counts(ACME)) === '{"campaigns":1,"workflows":1,"liveRuns":0,"signalAgents":0,"activeSignalAgents":0}',
    );
    await cluster.client.delete(RESOURCES.Workflow, { name: 'flow', namespace: NAMESPACE });
    await eventually(
      'less',
      async () =>
        (await counts(ACME)) === '{"campaigns":1,"workflows":0,"liveRuns":0,"signalAgents":0,"activeSignalAgents":0}',
    );
    await eventually('less', async () => (await counts(CAMP)) === '{"workflows":0,"leadsInPool":0}');
    await cluster.client.delete(RESOURCES.Campaign, { name: 'camp', namespace: NAMESPACE });
    await eventually(
      'nothing',
      async () =>
        (await counts(ACME)) === '{"campaigns":0,"workflows":0,"liveRuns":0,"signalAgents":0,"activeSignalAgents":0}',
    );
  });

  it('a workspace whose deletion is over is closed: no key of it is found any more', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    const hash = createHash('sha256').update('a key').digest();
    await cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `insert into api_key (id, key_type, workspace_id, name, key_prefix, key_hash, scopes, created_at)
         values (gen_random_uuid(), 'workspace', 'acme', 'k', 'cs_', $1, '{leads:read}', 1)`,
        [hash],
      ),
    );
    const found = (): Promise<unknown> => cluster.db.tx({ kind: 'platform' }, (tx) => findKey(tx, hash));
    expect(await found()).to.not.equal(undefined);
    await cluster.client.delete(RESOURCES.Workspace, { name: 'acme', namespace: NAMESPACE });
    // As `kubectl delete` waits; nothing is waited for after that.
    await eventually('gone', async () => (await cluster.list('workspaces')).length === 0);
    expect(await found()).to.equal(undefined);
  });

  it('says why a deletion is blocked, and the annotation lets the object go', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    const superuser = new pg.Client({ connectionString: cluster.superuserUrl });
    await superuser.connect();
    await superuser.query('revoke delete on outrider.workspace_wake from outrider_app');
    await superuser.end();
    await cluster.client.delete(RESOURCES.Workspace, { name: 'acme', namespace: NAMESPACE });
    await eventually('blocked', async () => (await condition(ACME, 'Ready'))?.reason === 'DeletionBlocked');
    const annotations = { 'outrider.dev/force-delete': 'true' };
    await cluster.client.mergePatch(
      RESOURCES.Workspace,
      { name: 'acme', namespace: NAMESPACE },
      { metadata: { annotations } },
      { fieldManager: 'kubectl' },
    );
    await eventually('gone', async () => (await cluster.list('workspaces')).length === 0);
  });

  it('what was let go by force is not taken for a restored cluster, and its rows are marked deleted once that works', async () => {
    const operator = await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    const superuser = new pg.Client({ connectionString: cluster.superuserUrl });
    await superuser.connect();
    await superuser.query('revoke delete on outrider.workspace_wake from outrider_app');
    await superuser.query('revoke insert on outrider.hold from outrider_app');
    await deleteByForce();
    await eventually('gone', async () => operator.context.workspaces.store.size === 0);
    expect(await resourcesBehind(operator.context)).to.deep.equal([]);
    await superuser.query('grant delete on outrider.workspace_wake to outrider_app');
    await superuser.end();
    await eventually('rows', () => row('select 1 from workspace where deleted_at is not null'));
  });

  it('rows that can not be marked deleted are held back when their object was let go by force', async () => {
    const operator = await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    const superuser = new pg.Client({ connectionString: cluster.superuserUrl });
    await superuser.connect();
    await superuser.query('revoke delete on outrider.workspace_wake from outrider_app');
    await superuser.end();
    await deleteByForce();
    await eventually('gone', async () => operator.context.workspaces.store.size === 0);
    expect(await row(`select kind, id from hold`)).to.deep.equal({ kind: 'workspace', id: 'acme' });
    expect(await resourcesBehind(operator.context)).to.deep.equal([]);
  });

  /** A tool's campaign in the workspace `acme`. */
  const createCampaign = (
    name: string,
    onGap: (gap: string) => Promise<void> = async () => undefined,
  ): Promise<object> =>
    cluster.resources({ ids: { uuid: systemIds.uuid, name: () => name }, onGap }).create({
      kind: 'Campaign',
      workspaceId: 'acme',
      prefix: 'camp',
      spec: campaignSpec.parse({ workspaceRef: { name: 'acme' }, title: 'T' }),
      intent: intentOf('acme'),
      finish: async () => ({}),
    });

  it('an object that a tool made and kubectl deleted before the operator saw it is not taken for a restored cluster', async () => {
    const metadata = { name: 'acme', namespace: NAMESPACE };
    const acme = await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    const projection = { now: 1, homeNamespace: NAMESPACE, ids: systemIds };
    await cluster.db.tx({ kind: 'platform' }, (tx) => projectWorkspace(tx, acme, projection));
    await createCampaign('camp');
    await cluster.client.delete(RESOURCES.Campaign, { ...metadata, name: 'camp' });
    const { context } = await cluster.operator();
    await eventually('gone', async () => (await cluster.list('campaigns')).length === 0);
    expect(await resourcesBehind(context)).to.deep.equal([]);
    expect(await row('select 1 as gone from campaign where deleted_at is not null')).to.deep.equal({ gone: 1 });
  });

  it('what a tool deletes goes, rows and object, and is counted no more', async () => {
    await cluster.operator();
    await applyAll();
    await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
    const remove = (kind: 'Workflow' | 'Campaign', id: string): Promise<object> =>
      cluster.resources().delete({ kind, workspaceId: 'acme', id, finish: async () => ({}) });
    await remove('Workflow', 'flow');
    await eventually('gone', async () => (await cluster.list('workflows')).length === 0);
    await remove('Campaign', 'camp');
    await eventually('gone', async () => (await cluster.list('campaigns')).length === 0);
    const counts = async (): Promise<string> => JSON.stringify((await status(ACME)).counts);
    await eventually(
      'counted',
      async () =>
        (await counts()) === '{"campaigns":0,"workflows":0,"liveRuns":0,"signalAgents":0,"activeSignalAgents":0}',
    );
  });

  it('a workflow of many runs goes in transactions of some thousand, its object only with the last, no matter who began it', async () => {
    const acme = await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    const projection = { now: 1, homeNamespace: NAMESPACE, ids: systemIds };
    await cluster.db.tx({ kind: 'platform' }, (tx) => projectWorkspace(tx, acme, projection));
    await createCampaign('camp');
    await cluster.resources({ ids: { uuid: systemIds.uuid, name: () => 'flow' } }).create({
      kind: 'Workflow',
      workspaceId: 'acme',
      prefix: 'wf',
      spec: workflowSpec.parse({ campaignRef: { name: 'camp' }, name: 'W', graph: FLOW }),
      intent: intentOf('acme'),
      finish: async () => ({}),
    });
    await cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
         select gen_random_uuid(), 'acme', 'flow', 'camp', gen_random_uuid(), 1, 'n', 'waiting', 1, 1, 1 from generate_series(1, 12000)`,
      ),
    );
    const parts = () =>
      row<{ most: number; live: number }>(
        `select coalesce(max(n) filter (where ended), 0)::int as most, coalesce(sum(n) filter (where not ended), 0)::int as live
         from (select count(*) as n, ended_at is not null as ended from run group by xmin::text, 2) x`,
      );
    await cluster.resources().delete({ kind: 'Workflow', workspaceId: 'acme', id: 'flow', finish: async () => ({}) });
    expect(await parts(), 'a tool answers after the first').to.deep.equal({ most: 5_000, live: 7_000 });
    expect(await cluster.list('workflows'), 'its object waits').to.have.length(1);
    await cluster.operator();
    await eventually('gone', async () => (await cluster.list('workflows')).length === 0);
    expect(await parts()).to.deep.equal({ most: 5_000, live: 0 });
  });

  it('an object that a tool changed before the operator saw it is not either', async () => {
    const acme = await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    const projection = { now: 1, homeNamespace: NAMESPACE, ids: systemIds };
    await cluster.db.tx({ kind: 'platform' }, (tx) => projectWorkspace(tx, acme, projection));
    await apply('Campaign', 'camp', { workspaceRef: { name: 'acme' }, title: 'T' });
    const change = (goal: string): Promise<object> =>
      cluster.resources().update({
        kind: 'Campaign',
        workspaceId: 'acme',
        id: 'camp',
        change: (spec) => ({ ...spec, goal }),
        finish: async () => ({}),
      });
    await change('Meetings');
    await change('More meetings');
    await cluster.client.delete(RESOURCES.Campaign, { name: 'camp', namespace: NAMESPACE });
    const { context } = await cluster.operator();
    await eventually('gone', async () => (await cluster.list('campaigns')).length === 0);
    expect(await resourcesBehind(context)).to.deep.equal([]);
  });

  it('a tenant who strips the finalizer and deletes stops what is theirs and nobody else: it is seen to be a deletion', async () => {
    const { context } = await cluster.operator();
    await applyAll(true);
    await Promise.all([ready(CAMP), ready(OWF)]);
    const unavailable = { code: 503, reason: 'ServiceUnavailable', message: 'down' };
    // The operator can not put it back in time.
    cluster.api.fault = (method, path) =>
      method === 'PATCH' && path.includes('/workflows/flow') ? unavailable : undefined;
    const live = await cluster.client.get(RESOURCES.Workflow, { name: 'flow', namespace: NAMESPACE });
    const stripped = { ...live, metadata: { ...live.metadata, finalizers: [] } };
    const { metadata } = await cluster.client.update(RESOURCES.Workflow, stripped, { fieldManager: 'kubectl' });
    expect(metadata.finalizers ?? []).to.deep.equal([]);
    await cluster.client.delete(RESOURCES.Workflow, { name: 'flow', namespace: NAMESPACE });
    cluster.api.fault = undefined;
    await eventually('gone', async () => context.workflows.store.size === 0);
    expect(await resourcesBehind(context)).to.deep.equal([]);
    await eventually('rows', () => row('select 1 from workflow where deleted_at is not null'));
    expect((await status(ACME)).conditions?.map(({ type }) => type)).to.not.include('SendsFrozen');
  });

  it('a campaign that kubectl deleted and Git made anew: Events say how its runs come back, and they do', async () => {
    await cluster.operator();
    await applyAll(true);
    await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
    await row(
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
       values (gen_random_uuid(), 'acme', 'flow', 'camp', gen_random_uuid(), 1, 'n', 'waiting', 1, 1, 1)`,
    );
    const told = (): string[] =>
      cluster.events.flatMap(({ reason, note }) =>
        reason === 'RunsStopped' ? (note?.match(/outrider deletions undo .*/) ?? []) : [],
      );
    await cluster.client.delete(RESOURCES.Campaign, { name: 'camp', namespace: NAMESPACE });
    await eventually('gone', async () => (await cluster.list('campaigns')).length === 0);
    expect(told()).to.deep.equal(Array.from({ length: 2 }, () => 'outrider deletions undo campaign camp'));
    await applyAll(true);
    await Promise.all([ready(CAMP), ready(OWF)]);
    await eventually('told', () => told().at(-1) === 'outrider deletions undo workflow flow');
    expect(await row('select count(*)::int as live from run where ended_at is null')).to.deep.equal({ live: 0 });
    const platform = { kind: 'platform' } as const;
    const back = await cluster.db.tx(platform, (tx) => bringBack(tx, 'Campaign', 'camp', 2));
    expect(back).to.deep.equal({ toApply: [], workflows: ['flow'] });
    expect(await cluster.db.tx(platform, (tx) => reviveRuns(tx, 'flow', 2))).to.equal(1);
  });

  it('an object that is gone before the tool that made it comes to write its rows leaves none behind', async () => {
    const acme = await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    const projection = { now: 1, homeNamespace: NAMESPACE, ids: systemIds };
    await cluster.db.tx({ kind: 'platform' }, (tx) => projectWorkspace(tx, acme, projection));
    const late = Promise.withResolvers<OperatorContext>();
    await createCampaign('camp', async (gap) => {
      if (gap !== 'applied') return;
      await cluster.client.delete(RESOURCES.Campaign, { name: 'camp', namespace: NAMESPACE });
      late.resolve((await cluster.operator()).context);
      await eventually('gone', async () => (await cluster.list('campaigns')).length === 0);
    });
    expect(await resourcesBehind(await late.promise)).to.deep.equal([]);
  });

  it('an object that goes while the operator asks to be told of its deletion leaves no row', async () => {
    const { context } = await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    let patches = 0;
    cluster.api.fault = (method, path) =>
      // The first is ours, which makes it.
      method === 'PATCH' && path.includes('/campaigns/camp') && ++patches > 1
        ? { code: 404, reason: 'NotFound', message: 'campaigns.outrider.dev "camp" not found' }
        : undefined;
    await apply('Campaign', 'camp', { workspaceRef: { name: 'acme' }, title: 'T' });
    await eventually('seen', async () => context.campaigns.store.get('outrider/camp'));
    await reconcileCampaign(context, 'outrider/camp').catch(() => undefined);
    expect(await row(`select 1 as made from campaign where id = 'camp'`)).to.equal(undefined);
  });

  it('a reconciliation holds back what is gone also where a tool stopped it before, and is not asked for again', async () => {
    const { context } = await cluster.operator();
    const projection = { now: 1, homeNamespace: NAMESPACE, ids: systemIds };
    const metadata = { name: 'lost', namespace: NAMESPACE, uid: 'u', generation: 1 };
    const spec = { displayName: 'Lost', owner: 'o@acme.example' };
    await cluster.db.tx({ kind: 'platform' }, async (tx) => {
      await projectWorkspace(tx, { metadata, spec }, projection);
      await tx.exec(
        `insert into hold (workspace_id, kind, id, reason, held_by, created_at) values ('lost', 'workspace', 'lost', 'a complaint', 'ann', 1)`,
      );
    });
    const behind = await resourcesBehind(context);
    expect(behind.map((one) => one.id)).to.deep.equal(['lost']);
    await cluster.db.tx({ kind: 'platform' }, async (tx) => {
      await freezeForRestore(tx, 1, 'gone', { [RESOURCES_KEY]: behind });
      await settleBehind(tx, { dryRun: false, now: 2 });
    });
    expect(await resourcesBehind(context)).to.deep.equal([]);
    expect(await row('select reason, held_by from hold'), 'the stop of a tool stays').to.deep.equal({
      reason: 'a complaint',
      held_by: 'ann',
    });
    expect(await row('select kind, id, reason from held_deletion')).to.deep.equal({
      kind: 'Workspace',
      id: 'lost',
      reason: 'it was gone after a restore',
    });
  });

  it('says so too when its executor can not be told to end, and lets it go all the same', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    await wake();
    await lease((await eventually('pod', pod)).metadata.uid ?? '');
    const superuser = new pg.Client({ connectionString: cluster.superuserUrl });
    await superuser.connect();
    await superuser.query('revoke update on outrider.claim from outrider_app');
    await superuser.end();
    await cluster.client.delete(RESOURCES.Workspace, { name: 'acme', namespace: NAMESPACE });
    await eventually('blocked', async () => (await condition(ACME, 'Ready'))?.reason === 'DeletionBlocked');
    expect((await condition(ACME, 'Ready'))?.message).to.include('outrider.dev/force-delete="true"');
    await cluster.client.mergePatch(
      RESOURCES.Workspace,
      { name: 'acme', namespace: NAMESPACE },
      { metadata: { annotations: { 'outrider.dev/force-delete': 'true' } } },
      { fieldManager: 'kubectl' },
    );
    await eventually('gone', async () => (await cluster.list('workspaces')).length === 0);
    await eventually('pod gone', async () => (await cluster.list('pods')).length === 0);
  });

  it('deleting a workspace takes all below it along, tombstones the rows and ends the pod; re-applied it works at once', async () => {
    await cluster.operator();
    await applyAll(true);
    await ready(OWF);
    await eventually('pod', pod);
    await cluster.client.delete(RESOURCES.Workspace, { name: 'acme', namespace: NAMESPACE });
    await eventually(
      'all gone',
      async () =>
        (await Promise.all(['workspaces', 'campaigns', 'workflows'].map((plural) => cluster.list(plural)))).flat()
          .length === 0,
    );
    await eventually('pod gone', async () => (await cluster.list('pods')).length === 0);
    expect(await row('select count(*) as n from workflow where deleted_at is not null')).to.deep.equal({ n: 1 });
    await applyAll(true);
    await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
    expect(await row('select enabled, deleted_at, graph_version from workflow')).to.deep.equal({
      enabled: true,
      deleted_at: null,
      graph_version: 1,
    });
  });
});
