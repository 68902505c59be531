import { expect } from 'chai';
import { systemIds } from '../../../pkg/base/ids.ts';
import { reconcileCampaign } from '../../../pkg/controllers/campaign/campaign-controller.ts';
import { reconcileWorkflow } from '../../../pkg/controllers/workflow/workflow-controller.ts';
import { NAMESPACES, PODS } from '../../../pkg/kube/resources.ts';
import type { KubeObject } from '../../../pkg/kube/types.ts';
import { projectCampaign, tombstoneCampaign } from '../../../pkg/store/resources/project-campaign.ts';
import { projectWorkflow } from '../../../pkg/store/resources/project-workflow.ts';
import { projectWorkspace } from '../../../pkg/store/resources/project-workspace.ts';
import { wakeAccount, wakeWorkspace } from '../../../pkg/store/runs/wake.ts';
import { graphChecker } from '../../../pkg/tools/resources/graph-checker.ts';
import { RESOURCES } from '../../../pkg/tools/resources/kinds.ts';
import { ACME, CAMP, FLOW, fixtureOf, NAMESPACE, OWF } from '../../fixtures/controllers/operator-fixture.ts';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';

describe('operator', () => {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await startTestCluster();
    await cluster.node();
  });
  afterEach(() => cluster.stop());
  const { apply, applyAll, status, condition, ready, row, podName, pod, wake, lease } = fixtureOf(() => cluster);

  it('brings what kubectl applied into the rows, in whatever order, with counts', async () => {
    await cluster.operator();
    await applyAll();
    await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
    expect(await row('select name from workflow')).to.deep.equal({ name: 'W' });
    expect((await cluster.object(OWF))?.metadata.ownerReferences, 'pruning and backups').to.equal(undefined);
    expect(await status(OWF)).to.include({ graphVersion: 1, nodeCount: 2 });
    await eventually(
      'counts',
      async () =>
        JSON.stringify((await status(ACME)).counts) ===
        '{"campaigns":1,"workflows":1,"liveRuns":0,"signalAgents":0,"activeSignalAgents":0}',
    );
    expect(await row(`select reconcile ->> 'phase' as phase from campaign`)).to.deep.equal({ phase: 'ready' });
  });

  it('what another controller made keeps its owners, and loses those that versions before this one gave it', async () => {
    await cluster.operator();
    const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'maker', namespace: NAMESPACE } };
    const { metadata } = await cluster.client.create<KubeObject>(configMaps, map, { fieldManager: 'maker' });
    const maker = { apiVersion: 'v1', kind: 'ConfigMap', name: 'maker', uid: metadata.uid ?? '', controller: true };
    const namesake = { apiVersion: 'sea.test/v1', kind: 'Workspace', name: 'acme', uid: 'of-another-group' };
    const { metadata: acme } = await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    const ours = { apiVersion: 'outrider.dev/v1alpha1', kind: 'Workspace', name: 'acme', uid: acme.uid ?? '' };
    const campaign = {
      apiVersion: 'outrider.dev/v1alpha1',
      kind: 'Campaign',
      metadata: { name: 'camp', namespace: NAMESPACE, ownerReferences: [maker, namesake, ours] },
      spec: { workspaceRef: { name: 'acme' }, title: 'T' },
    };
    await cluster.client.create<KubeObject>(RESOURCES.Campaign, campaign, { fieldManager: 'maker' });
    await ready(CAMP);
    const owners = (await cluster.object(CAMP))?.metadata.ownerReferences ?? [];
    expect(owners.map(({ apiVersion, kind, controller }) => [apiVersion, kind, controller])).to.deep.equal([
      ['v1', 'ConfigMap', true],
      ['sea.test/v1', 'Workspace', undefined],
    ]);
  });

  it('writes nothing when nothing changed, and reads no object: what the cache keeps of it is enough', async () => {
    const operator = await cluster.operator();
    await applyAll();
    await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
    await eventually(
      'counts',
      async () =>
        JSON.stringify((await status(ACME)).counts) ===
        '{"campaigns":1,"workflows":1,"liveRuns":0,"signalAgents":0,"activeSignalAgents":0}',
    );
    await quiet(cluster);
    const before = cluster.api.writes.filter((write) => !write.includes('/leases')).length;
    const { workspaces, campaigns, workflows, client } = operator.context;
    const read: string[] = [];
    const find = client.find.bind(client);
    client.find = (resource, ref, options) => {
      read.push(`${resource.plural}/${ref.name}`);
      return find(resource, ref, options);
    };
    for (const informer of [workspaces, campaigns, workflows, workspaces, campaigns, workflows])
      informer.store.resync();
    await quiet(cluster);
    expect(cluster.api.writes.filter((write) => !write.includes('/leases')).slice(before)).to.deep.equal([]);
    expect(read).to.deep.equal([]);
  });

  it('rows that do not show an object any more are written anew, although it did not change', async () => {
    const operator = await cluster.operator();
    await applyAll();
    await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
    await quiet(cluster);
    await row(`with w as (update workspace set generation = 0, name = 'x'), c as (update campaign set generation = 0, title = 'x')
               update workflow set generation = 0, name = 'x'`);
    const { workspaces, campaigns, workflows } = operator.context;
    for (const informer of [workspaces, campaigns, workflows]) informer.store.resync();
    const names = `select w.name as workspace, c.title as campaign, f.name as workflow from workspace w, campaign c, workflow f`;
    await eventually(
      'the names of the specs',
      async () => JSON.stringify(await row(names)) === '{"workspace":"Acme","campaign":"T","workflow":"W"}',
    );
  });

  it('enabling the first workflow of a draft campaign activates it', async () => {
    await cluster.operator();
    await applyAll(true);
    await ready(OWF);
    await eventually('campaign active', async () => (await status(CAMP)).state === 'active');
  });

  it('shows an invalid graph as Stalled and goes on with the old version', async () => {
    await cluster.operator();
    await applyAll();
    await ready(OWF);
    await apply('Workflow', 'flow', {
      campaignRef: { name: 'camp' },
      name: 'W',
      graph: { nodes: [{ nodeType: 'bad' }], edges: [] },
    });
    await eventually('stalled', async () => (await condition(OWF, 'Stalled'))?.reason === 'InvalidGraph');
    expect(await condition(OWF, 'Ready')).to.include({ status: 'False', message: 'bad node' });
    expect((await status(OWF)).graphVersion).to.equal(1);
    await apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W', graph: FLOW });
    await ready(OWF);
    expect(await condition(OWF, 'Stalled')).to.equal(undefined);
  });

  it('an edit that loses a node with sends is Stalled, and heals with its nodeId or with the end of the runs', async () => {
    const operator = await cluster.operator();
    await applyAll();
    await ready(OWF);
    const ids = { run: systemIds.uuid(), lead: systemIds.uuid(), send: systemIds.uuid() };
    const node = (await row<{ id: string }>(`select graph -> 'nodes' -> 0 ->> 'nodeId' as id from workflow_graph`))?.id;
    await row(`insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at)
               values ('${ids.run}', 'acme', 'flow', 'camp', '${ids.lead}', 1, '${node}', 'waiting', 0, 0)`);
    await row(`insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at)
               values ('${ids.send}', 'acme', 'flow', 'camp', '${ids.run}', '${node}', '${ids.lead}', '${ids.lead}', 'a', 'profile_view', 'confirmed', 1, 0)`);
    const edit = (nodes: object[]): Promise<KubeObject> =>
      apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W', graph: { nodes, edges: [] } });
    const lost = (): Promise<true> =>
      eventually('stalled', async () => (await condition(OWF, 'Stalled'))?.reason === 'NodeIdentityLost');
    const others = [
      { nodeType: 'network:profile_view', label: 'Look' },
      { nodeType: 'network:message', label: 'Hi' },
    ];
    await edit(others);
    await lost();
    expect(await status(OWF)).to.include({ graphVersion: 1 });
    await edit([{ ...others[0], nodeId: node }, others[1] ?? {}]);
    await eventually('in force', async () => (await status(OWF)).graphVersion === 2);
    expect(await condition(OWF, 'Stalled')).to.equal(undefined);
    await edit(others.slice(1));
    await lost();
    await row(`update run set state = 'completed', ended_at = 0 where id = '${ids.run}'`);
    operator.context.workflows.store.resync();
    await eventually('in force', async () => (await status(OWF)).graphVersion === 3);
    expect(await condition(OWF, 'Ready')).to.include({ status: 'True' });
  });

  it('a holiday country that nobody knows is Stalled, stops beside it count, and it heals', async () => {
    await cluster.operator();
    await applyAll(true);
    await ready(OWF);
    const camp = (state: string, holidayCountry: string): Promise<KubeObject> =>
      apply('Campaign', 'camp', {
        workspaceRef: { name: 'acme' },
        title: 'T',
        state,
        businessHours: { holidayCountry },
      });
    await camp('paused', 'XX');
    await eventually('stalled', async () => (await condition(CAMP, 'Stalled'))?.reason === 'InvalidHours');
    expect((await condition(CAMP, 'Ready'))?.message).to.equal(
      'spec.businessHours.holidayCountry: must be a country whose public holidays are known (ISO 3166 alpha-2, for example DE)',
    );
    expect((await status(CAMP)).state).to.equal('paused');
    await apply('Workspace', 'acme', {
      displayName: 'Acme',
      owner: 'o@acme.example',
      operatingMode: 'Suspended',
      timezone: 'Mars/Base',
    });
    await eventually('stalled', async () => (await condition(ACME, 'Stalled'))?.reason === 'InvalidHours');
    expect(await row('select operating_mode as mode from workspace')).to.deep.equal({ mode: 'Suspended' });
    await camp('paused', 'DE');
    await ready(CAMP);
  });

  it('a reference to nothing is Stalled and heals when the object appears', async () => {
    await cluster.operator();
    await apply('Campaign', 'camp', { workspaceRef: { name: 'acme' }, title: 'T' });
    await eventually('stalled', async () => (await condition(CAMP, 'Stalled'))?.reason === 'RefNotFound');
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(CAMP);
  });

  it('a Workflow before its Campaign is Stalled, names it, and heals when it appears', async () => {
    await cluster.operator();
    await apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W', graph: FLOW });
    await eventually('stalled', async () => (await condition(OWF, 'Stalled'))?.reason === 'RefNotFound');
    expect((await condition(OWF, 'Stalled'))?.message).to.include('"camp"');
    await apply('Campaign', 'camp', { workspaceRef: { name: 'acme' }, title: 'T' });
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(OWF);
    expect(await condition(OWF, 'Stalled')).to.equal(undefined);
  });

  it('objects that were all made anew come into force, also when what is below is looked at before its parent', async () => {
    const projection = { now: 1, homeNamespace: NAMESPACE, ids: systemIds, checker: graphChecker };
    const old = (name: string, spec: object) => ({
      metadata: {
        name,
        namespace: NAMESPACE,
        uid: `old-${name}`,
        generation: 1,
        creationTimestamp: '2020-01-01T00:00:00Z',
      },
      spec,
    });
    await cluster.db.tx({ kind: 'platform' }, async (tx) => {
      await projectWorkspace(tx, old('acme', { displayName: 'Acme', owner: 'o@acme.example' }), projection);
      await projectCampaign(tx, old('camp', { workspaceRef: { name: 'acme' }, title: 'T' }), projection);
      await projectWorkflow(tx, old('flow', { campaignRef: { name: 'camp' }, name: 'W', graph: FLOW }), projection);
    });
    await applyAll(true);
    const unavailable = { code: 503, reason: 'ServiceUnavailable', message: 'down' };
    cluster.api.fault = (method, path) =>
      method === 'PATCH' && path.includes('/workspaces/acme') ? unavailable : undefined;
    const { context } = await cluster.operator();
    await eventually('seen', async () => context.workflows.store.get('outrider/flow'));
    const key = (name: string): string => `outrider/${name}`;
    await reconcileCampaign(context, key('camp')).catch(() => undefined);
    await reconcileWorkflow(context, key('flow')).catch(() => undefined);
    cluster.api.fault = undefined;
    await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
    expect(
      await row(
        `select w.deleted_at as workspace, c.deleted_at as campaign, f.deleted_at as workflow, f.enabled
         from workspace w, campaign c, workflow f`,
      ),
    ).to.deep.equal({ workspace: null, campaign: null, workflow: null, enabled: true });
  });

  it('an object whose rows were marked deleted does not pass for one in force', async () => {
    const { context } = await cluster.operator();
    await applyAll(true);
    await Promise.all([ready(CAMP), ready(OWF)]);
    await cluster.db.tx({ kind: 'platform' }, (tx) => tombstoneCampaign(tx, 'camp', 2));
    await reconcileCampaign(context, 'outrider/camp');
    await reconcileWorkflow(context, 'outrider/flow');
    for (const key of [CAMP, OWF]) {
      expect(await condition(key, 'Ready')).to.include({ status: 'False', reason: 'RowsDeleted' });
      expect((await condition(key, 'Stalled'))?.message).to.include('delete it and apply it again');
    }
  });

  it('a name whose history is another workspace’s is Stalled; under a name of its own it is in force', async () => {
    await cluster.operator();
    for (const name of ['acme', 'beta']) await apply('Workspace', name, { displayName: name, owner: 'o@acme.example' });
    await apply('Campaign', 'camp', { workspaceRef: { name: 'acme' }, title: 'T' });
    await ready(CAMP);
    await cluster.client.delete(RESOURCES.Campaign, { name: 'camp', namespace: NAMESPACE });
    await eventually('gone', async () => (await cluster.object(CAMP)) === undefined);
    await apply('Campaign', 'camp', { workspaceRef: { name: 'beta' }, title: 'T' });
    await eventually('stalled', async () => (await condition(CAMP, 'Stalled'))?.reason === 'NameTaken');
    await cluster.client.delete(RESOURCES.Campaign, { name: 'camp', namespace: NAMESPACE });
    await eventually('gone', async () => (await cluster.object(CAMP)) === undefined);
    await apply('Campaign', 'camp-of-beta', { workspaceRef: { name: 'beta' }, title: 'T' });
    await ready('campaigns/outrider/camp-of-beta');
    await apply('Campaign', 'camp', { workspaceRef: { name: 'acme' }, title: 'T' });
    await ready(CAMP);
  });

  it('starts an executor when work is due, and lets it sleep when it is idle', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example', executor: { idleTimeout: '1s' } });
    await ready(ACME);
    expect((await status(ACME)).executor).to.deep.equal({ state: 'Idle' });
    await wake();
    const started = await eventually('pod', pod);
    const claimed = await lease(started.metadata.uid ?? '');
    await eventually('running', async () => (await status(ACME)).executor?.state === 'Running');
    expect((await status(ACME)).executor).to.deep.equal({ state: 'Running', podName: await podName(), epoch: 1 });
    await eventually('clock released', () => cluster.clock.holds === 0);
    await cluster.db.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec('delete from workspace_wake');
      await tx.exec('select report_idle($1, true)', [claimed?.token]);
    });
    await cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(`update claim set idle_since = clock_timestamp() - interval '5 s'`),
    );
    await eventually('pod gone', async () => (await pod()) === undefined);
    await eventually('idle', async () => (await status(ACME)).executor?.state === 'Idle');
  });

  it('replaces a pod that was evicted', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    await wake();
    const first = await eventually('pod', pod);
    const ref = { name: await podName(), namespace: NAMESPACE };
    const failed = { status: { phase: 'Failed', reason: 'Evicted', message: 'low on memory' } };
    await cluster.client.mergePatch(PODS, ref, failed, { fieldManager: 'kubelet', subresource: 'status' });
    const second = await eventually('another pod', async () => {
      const now = await pod();
      return now && now.metadata.uid !== first.metadata.uid ? now : undefined;
    });
    expect(second.metadata.annotations).to.include({ 'outrider.dev/workspace': 'outrider/acme' });
    expect(cluster.events.map((event) => event.reason)).to.include('ExecutorReplaced');
  });

  it('drains and ends the executor of a suspended workspace', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    await wake();
    const started = await eventually('pod', pod);
    await lease(started.metadata.uid ?? '');
    await eventually('running', async () => (await status(ACME)).executor?.state === 'Running');
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example', operatingMode: 'Suspended' });
    await eventually('pod gone', async () => (await pod()) === undefined);
    await eventually('suspended', async () => (await condition(ACME, 'Suspended'))?.status === 'True');
    expect(await row('select drain_epoch = epoch as drained from claim')).to.deep.equal({ drained: true });
    expect(await row('select operating_mode from workspace')).to.deep.equal({ operating_mode: 'Suspended' });
  });

  it('shows who holds a workspace without any write to it, and the annotation releases it', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    await cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `insert into hold (workspace_id, kind, id, reason, held_by, created_at) values ('acme', 'workspace', 'acme', 'a complaint', 'ann', 1000)`,
      ),
    );
    await apply('Workspace', 'acme', { displayName: 'Acme Ltd', owner: 'o@acme.example' });
    await eventually(
      'paused',
      async () => (await condition(ACME, 'Paused'))?.message === 'Stopped by ann: a complaint',
    );
    const annotations = { 'outrider.dev/release-hold': '2026-01-01T00:00:00Z' };
    await cluster.client.mergePatch(
      RESOURCES.Workspace,
      { name: 'acme', namespace: NAMESPACE },
      { metadata: { annotations } },
      { fieldManager: 'kubectl' },
    );
    await eventually('released', async () => (await condition(ACME, 'Paused')) === undefined);
  });

  it('an annotation of a time to come releases nothing: a stop by a tool holds whatever it says', async () => {
    const { context } = await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await apply('Campaign', 'camp', { workspaceRef: { name: 'acme' }, title: 'T' });
    await ready(CAMP);
    await cluster.client.mergePatch(
      RESOURCES.Campaign,
      { name: 'camp', namespace: NAMESPACE },
      { metadata: { annotations: { 'outrider.dev/release-hold': '2099-01-01T00:00:00Z' } } },
      { fieldManager: 'kubectl' },
    );
    await eventually('seen', async () => context.campaigns.store.get('outrider/camp')?.metadata.annotations);
    await cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `insert into hold (workspace_id, kind, id, reason, held_by, created_at) values ('acme', 'campaign', 'camp', 'a complaint', 'ann', $1)`,
        [cluster.clock.now()],
      ),
    );
    await reconcileCampaign(context, 'outrider/camp');
    expect(await row('select id from hold')).to.deep.equal({ id: 'camp' });
    expect((await condition(CAMP, 'Paused'))?.message).to.equal('Stopped by ann: a complaint');
  });

  it('a freeze shows while it is in force: one with an end is gone from the status when its time is up', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    await quiet(cluster);
    const until = cluster.clock.now() + 3_600_000;
    await cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `insert into send_freeze (id, scope, target, channel, until, reason, frozen_by, since) values (gen_random_uuid(), 'platform', '', '', $1, 'a test', 'ann', 1)`,
        [until],
      ),
    );
    await eventually('frozen', async () => (await condition(ACME, 'SendsFrozen'))?.message === 'a test');
    cluster.clock.at = until + 1;
    await eventually('no longer', async () => (await condition(ACME, 'SendsFrozen')) === undefined);
  });

  it('a quota error means wait, not fail', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    cluster.api.fault = (method, path) =>
      method === 'POST' && path.includes('/pods')
        ? { code: 403, reason: 'Forbidden', message: 'pods "ex" is forbidden: exceeded quota: small' }
        : undefined;
    await wake();
    await eventually('waiting', async () => (await condition(ACME, 'ExecutorAvailable'))?.reason === 'QuotaExceeded');
    expect((await condition(ACME, 'Ready'))?.status).to.equal('True');
    expect((await status(ACME)).executor).to.deep.equal({ state: 'Idle' });
  });

  it('a pod that the cluster refuses for another reason is told in its words, and is no fault', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    const message = 'pods "ex" is forbidden: maximum memory usage per Container is 64Mi, but limit is 256Mi';
    cluster.api.fault = (method, path) =>
      method === 'POST' && path.includes('/pods') ? { code: 403, reason: 'Forbidden', message } : undefined;
    await wake();
    await eventually('told', async () => (await condition(ACME, 'ExecutorAvailable'))?.reason === 'PodRefused');
    expect((await condition(ACME, 'ExecutorAvailable'))?.message).to.include('maximum memory usage');
    expect((await condition(ACME, 'Ready'))?.status).to.equal('True');
  });

  it('leaves a pod alone that bears its executor’s name and works for another workspace, and says so', async () => {
    await cluster.operator();
    for (const name of ['acme', 'beta']) await apply('Workspace', name, { displayName: name, owner: 'o@acme.example' });
    const BETA = 'workspaces/outrider/beta';
    await Promise.all([ready(ACME), ready(BETA)]);
    const name = await podName();
    const labels = {
      'app.kubernetes.io/name': 'outrider',
      'app.kubernetes.io/component': 'executor',
      'outrider.dev/role': 'workspace',
      'outrider.dev/workspace-uid': (await cluster.object(BETA))?.metadata.uid ?? '',
    };
    const annotations = { 'outrider.dev/workspace': 'outrider/beta' };
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const metadata = { name, namespace: NAMESPACE, labels, annotations };
    const other = await cluster.client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec } as KubeObject, {
      fieldManager: 'test',
    });
    await wake();
    await eventually('told', async () => (await condition(ACME, 'ExecutorAvailable'))?.reason === 'PodRefused');
    expect((await condition(ACME, 'ExecutorAvailable'))?.message).to.include(`"${name}"`);
    expect((await status(ACME)).executor).to.deep.equal({ state: 'Idle' });
    const there = (await pod())?.metadata;
    expect([there?.uid, there?.deletionTimestamp]).to.deep.equal([other.metadata.uid, undefined]);
  });

  it('with all places taken a workspace waits and says so; an idle executor makes room though its time is not up', async () => {
    await cluster.operator({ maxPods: 1 });
    for (const name of ['acme', 'beta']) await apply('Workspace', name, { displayName: name, owner: 'o@acme.example' });
    await Promise.all([ready(ACME), ready('workspaces/outrider/beta')]);
    await wake();
    const first = await eventually('pod', pod);
    const claimed = await lease(first.metadata.uid ?? '');
    await cluster.db.tx({ kind: 'platform' }, (tx) => wakeWorkspace(tx, 'beta', cluster.clock.now(), 'test'));
    await eventually(
      'beta waits',
      async () => (await condition('workspaces/outrider/beta', 'ExecutorAvailable'))?.reason === 'NoPlace',
    );
    expect(await cluster.list('pods')).to.have.length(1);
    await cluster.db.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(`delete from workspace_wake where workspace_id = 'acme'`);
      await tx.exec('select report_idle($1, true)', [claimed?.token]);
      await tx.exec(`update claim set idle_since = clock_timestamp() - interval '5 s'`);
    });
    const [second] = await eventually('the other pod', async () => {
      const pods = await cluster.list('pods');
      return pods.length === 1 && pods[0]?.metadata.uid !== first.metadata.uid && pods;
    });
    expect(second?.metadata.annotations).to.include({ 'outrider.dev/workspace': 'outrider/beta' });
  });

  it('works for objects of a tenant namespace under a qualified id, with its pod in the home namespace', async () => {
    await cluster.operator();
    const namespace = 'tenant-a';
    await cluster.client.apply(
      NAMESPACES,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { fieldManager: 'kubectl', force: false },
    );
    const spec = { displayName: 'Tenant', owner: 'o@tenant.example' };
    const object = {
      apiVersion: 'outrider.dev/v1alpha1',
      kind: 'Workspace',
      metadata: { name: 'acme', namespace },
      spec,
    };
    await cluster.client.apply(RESOURCES.Workspace, object as KubeObject, { fieldManager: 'kubectl', force: false });
    await ready('workspaces/tenant-a/acme');
    expect(await row('select id from workspace')).to.deep.equal({ id: 'tenant-a.acme' });
    await cluster.db.tx({ kind: 'platform' }, (tx) => wakeWorkspace(tx, 'tenant-a.acme', cluster.clock.now(), 'test'));
    const [made] = await eventually('pod', async () =>
      (await cluster.list('pods')).length > 0 ? cluster.list('pods') : undefined,
    );
    expect(made?.metadata.namespace).to.equal('outrider');
    await cluster.client.delete(RESOURCES.Workspace, { name: 'acme', namespace });
    await eventually('pod gone', async () => (await cluster.list('pods')).length === 0);
  });

  it('keeps the pod of account sync while a linked account waits to be synced', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    await cluster.db.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(`insert into network_account (id, external_id, status_since, created_at) values ('a1', 'x', 1, 1)`);
      await tx.exec(`insert into account_link (account_id, workspace_id, linked_at) values ('a1', 'acme', 1)`);
      await tx.exec(`insert into account_wake (account_id, due_at) values ('a1', 1)`);
    });
    const made = await eventually('ex-accounts', () => cluster.object('pods/outrider/ex-accounts'));
    expect(JSON.stringify(made.spec)).to.include('{"name":"OUTRIDER_ROLE","value":"accounts"}');
  });

  it('keeps it also while no account is connected: only a look tells that one is again', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await ready(ACME);
    await cluster.db.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(
        `insert into network_account (id, external_id, status, status_since, created_at) values ('a1', 'x', 'credentials_expired', 1, 1)`,
      );
      await tx.exec(`insert into account_link (account_id, workspace_id, linked_at) values ('a1', 'acme', 1)`);
      await wakeAccount(tx, 'a1', cluster.clock.now());
    });
    await eventually('ex-accounts', () => cluster.object('pods/outrider/ex-accounts'));
  });
});

/** Waits until no write came for half a second. */
async function quiet(cluster: TestCluster): Promise<void> {
  let seen = -1;
  for (;;) {
    const now = cluster.api.writes.filter((write) => !write.includes('/leases')).length;
    if (now === seen) return;
    seen = now;
    await cluster.runtime.clock.sleep(700);
  }
}
