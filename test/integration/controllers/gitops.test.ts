import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { campaignSpec } from '../../../pkg/api/campaign.ts';
import type { CampaignSpec } from '../../../pkg/api/specs.ts';
import { UserError } from '../../../pkg/base/errors.ts';
import type { SpecObject } from '../../../pkg/kube/types.ts';
import { holdByTool, releaseHold } from '../../../pkg/store/resources/holds.ts';
import { releaseFields } from '../../../pkg/tools/resources/release-field.ts';
import { ACME, CAMP, FLOW, fixtureOf, NAMESPACE, OWF } from '../../fixtures/controllers/operator-fixture.ts';
import { documentedChecks } from '../../fixtures/gitops/health-checks.ts';
import { intentOf } from '../../tools/intent-of.ts';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';
import { kubectl } from '../../tools/kubectl.ts';

const CLI = new URL('../../../cmd/outrider/main.ts', import.meta.url).pathname;
const REF = { name: 'camp', namespace: NAMESPACE };
const GIVEN = { title: 'T', goal: 'Ten talks', workspaceRef: { name: 'acme' } };

describe('manifests, tools and the operator share an object', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await startTestCluster();
    await cluster.node();
  });
  afterEach(() => cluster.stop());
  const { apply, applyAll, status, condition, ready, row } = fixtureOf(() => cluster);

  /** The real kubectl. */
  async function run(args: string, ...objects: object[]): Promise<string> {
    const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    const { code, stdout, stderr } = await kubectl(cluster.api.kubeconfigPath, args.split(' '), { input });
    expect([code, stderr], args).to.deep.equal([0, '']);
    return stdout;
  }
  const campaign = (spec: object): object => ({
    apiVersion: 'outrider.dev/v1alpha1',
    kind: 'Campaign',
    metadata: REF,
    spec,
  });
  const update = (change: (spec: CampaignSpec) => CampaignSpec): Promise<object> =>
    cluster.resources().update({ kind: 'Campaign', workspaceId: 'acme', id: 'camp', change, finish: async () => ({}) });
  const refusal = (change: (spec: CampaignSpec) => CampaignSpec): Promise<string> =>
    update(change).then(
      () => 'changed',
      (error: unknown) => (error instanceof UserError ? error.message : Promise.reject(error)),
    );
  const spec = async (key: string): Promise<Record<string, unknown>> =>
    (await cluster.object(key))?.spec as Record<string, unknown>;
  const told = (reason: string): string[] =>
    cluster.events.filter((event) => event.reason === reason).map(({ note }) => note);

  it('what a manifest does not name a tool changes, however it was applied; the next apply leaves it alone', async () => {
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await cluster.operator();
    await ready(ACME);
    for (const how of ['apply -f -', 'create -f -', 'apply --server-side -f -']) {
      await run(how, campaign(GIVEN));
      await ready(CAMP);
      await update((before) => ({ ...before, description: how, reviewMode: 'all', scoreMin: 61 }));
      if (how !== 'create -f -') await run(how, campaign(GIVEN));
      expect(await spec(CAMP), how).to.include({ description: how, reviewMode: 'all', scoreMin: 61 });
      await run(`-n ${NAMESPACE} delete campaigns.outrider.dev camp`);
    }
  });

  it('a refusal names field, object, manager and the way out; a field that is handed over is the tools’, and the next apply keeps it', async () => {
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await cluster.operator();
    await ready(ACME);
    await run('apply -f -', campaign({ ...GIVEN, description: 'From Git' }));
    await ready(CAMP);
    const mine = (before: CampaignSpec): CampaignSpec => ({ ...before, description: 'Mine' });
    expect(await refusal(mine)).to.equal(
      'Campaign "camp" in namespace "outrider" is not changed: "spec.description" is managed by "kubectl-client-side-apply". Change it where that manager takes it from; or take it out there, and hand it over: outrider release-field campaign camp spec.description --namespace outrider',
    );
    expect(
      await releaseFields(cluster.client, 'Campaign', REF, ['spec.description', 'spec.playbookOverride']),
    ).to.deep.equal([
      { field: 'spec.description', managers: ['kubectl-client-side-apply'] },
      { field: 'spec.playbookOverride', managers: [] },
    ]);
    expect(await spec(CAMP)).to.include({ description: 'From Git' });
    expect(await refusal(mine)).to.equal('changed');
    expect(await run('apply -f -', campaign(GIVEN))).to.equal('campaign.outrider.dev/camp unchanged\n');
    expect(await spec(CAMP)).to.include({ description: 'Mine' });
    expect(await refusal((before) => ({ ...before, goal: 'Mine' })), 'the rest is still theirs').to.include(
      '"spec.goal"',
    );
  });

  it('outrider release-field hands a field over, and touches no object whose rows another one has', async () => {
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await cluster.operator();
    await ready(ACME);
    await run('apply -f -', campaign({ ...GIVEN, description: 'From Git' }));
    await ready(CAMP);
    const release = (): Promise<string> => {
      const kubeconfig = ['--kubeconfig', cluster.api.kubeconfigPath];
      const args = [CLI, 'release-field', 'campaign', 'camp', 'spec.description', ...kubeconfig];
      return promisify(execFile)(process.execPath, args, {
        env: { ...process.env, LOG_LEVEL: 'silent', DATABASE_URL: cluster.databaseUrl },
      }).then(
        ({ stdout }) => stdout,
        ({ stderr }: { stderr: string }) => stderr,
      );
    };
    // It would take the object up.
    await cluster.endOperators();
    await row(`update campaign set uid = 'of-another'`);
    expect(await release()).to.include('the operator has not taken it up yet');
    await row(`update campaign set uid = '${(await cluster.object(CAMP))?.metadata.uid}'`);
    expect(await release()).to.include('given up by kubectl-client-side-apply');
    const stalled = { type: 'Stalled', status: 'True', reason: 'NameTaken', message: 'It is another’s.' };
    const refused = releaseFields(
      { find: async () => ({ kind: 'Campaign', metadata: REF, status: { conditions: [stalled] } }) } as never,
      'Campaign',
      REF,
      ['spec.title'],
    );
    expect(await refused.catch((error: UserError) => error.message)).to.equal(
      'Campaign "camp" may not be changed: It is another’s.',
    );
  });

  it('a value that was asked for on the server’s side is not taken, also where it is the default', async () => {
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await cluster.operator();
    await run('apply --server-side --field-manager=argocd-controller -f -', campaign({ ...GIVEN, reviewMode: 'off' }));
    await ready(CAMP);
    expect(await refusal((before) => ({ ...before, reviewMode: 'all' }))).to.include('managed by "argocd-controller"');
    await releaseFields(cluster.client, 'Campaign', REF, ['spec.reviewMode']);
    expect(await refusal((before) => ({ ...before, reviewMode: 'all' }))).to.equal('changed');
  });

  it('a tool claims only what it was given: a manifest says the rest later without a conflict', async () => {
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await cluster.operator();
    await ready(ACME);
    const { id } = await cluster.resources({ ids: { uuid: cluster.runtime.ids.uuid, name: () => 'camp' } }).create({
      kind: 'Campaign',
      workspaceId: 'acme',
      prefix: 'camp',
      spec: campaignSpec.parse({ ...GIVEN, scoreMin: 70 }),
      intent: intentOf('acme', 'k'),
      finish: async (_tx, written) => ({ id: written.id }),
    });
    expect(id).to.equal('camp');
    const { managedFields = [] } = (await cluster.object(CAMP))?.metadata ?? {};
    const own = (managedFields as { manager: string; fieldsV1: Record<string, object> }[]).find(
      ({ manager }) => manager === 'outrider-mcp',
    );
    expect(Object.keys(own?.fieldsV1['f:spec'] ?? {}).sort()).to.deep.equal([
      'f:goal',
      'f:scoreMin',
      'f:title',
      'f:workspaceRef',
    ]);
    await run(
      'apply --server-side -f -',
      campaign({ workspaceRef: GIVEN.workspaceRef, reviewMode: 'all', state: 'active' }),
    );
  });

  it('enabling a workflow by kubectl says active in the campaign’s spec, and tells it; neither a manifest nor a tool is in conflict then', async () => {
    await cluster.operator();
    await applyAll(true);
    await ready(OWF);
    await eventually('the spec says so', async () => (await spec(CAMP))['state'] === 'active');
    await eventually('the condition', async () => (await condition(CAMP, 'Active'))?.reason === 'ActivatedByWorkflow');
    expect(await condition(CAMP, 'Active')).to.include({ status: 'True' });
    expect(told('Activated')).to.deep.equal(['A workflow of it was enabled, which activated it. It was "flow".']);
    expect(await refusal((before) => ({ ...before, state: 'paused' }))).to.equal('changed');
    await eventually('inactive', async () => (await condition(CAMP, 'Active'))?.status === 'False');
  });

  it('where a manifest says draft it stays, and the condition says who manages it, once', async () => {
    await cluster.operator();
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await run('apply --server-side -f -', campaign({ ...GIVEN, state: 'draft' }));
    await apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W', enabled: true, graph: FLOW });
    await eventually('the condition', async () => (await condition(CAMP, 'Active'))?.reason === 'ActivatedByWorkflow');
    expect((await condition(CAMP, 'Active'))?.message).to.equal(
      'A workflow of it was enabled, which activated it. spec.state stays draft. It is managed by "kubectl"; change it there.',
    );
    expect(await spec(CAMP)).to.include({ state: 'draft' });
    expect(await status(CAMP)).to.include({ state: 'active' });
    expect(told('Activated')).to.have.length(1);
  });

  it('a held workflow says in kubectl get by whom, and Events tell the hold and its end', async () => {
    await cluster.operator();
    await applyAll();
    await ready(OWF);
    const hold = { workspaceId: 'acme', kind: 'workflow', id: 'flow', by: 'ann@acme.example', now: 1_000 } as const;
    await cluster.db.tx({ kind: 'platform' }, (tx) => holdByTool(tx, hold));
    await apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W2', graph: FLOW });
    await eventually('held', async () => (await status(OWF)).hold === 'Held by ann@acme.example');
    const [head = '', line = ''] = (await run(`-n ${NAMESPACE} get workflows.outrider.dev`)).split('\n');
    expect(line.slice(head.indexOf('HOLD'))).to.match(/^Held by ann@acme\.example/);
    await cluster.db.tx({ kind: 'platform' }, (tx) => releaseHold(tx, 'workflow', 'flow'));
    await apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W3', graph: FLOW });
    await eventually('released', async () => (await status(OWF)).hold === undefined);
    expect([told('Held'), told('Released')]).to.deep.equal([
      ['Stopped by ann@acme.example: StoppedByTool'],
      ['No longer held. Stopped by ann@acme.example: StoppedByTool'],
    ]);
  });

  it('what is below a held workspace says in kubectl get by whom, and nothing once that is over; its own hold comes first', async () => {
    await cluster.operator();
    await applyAll();
    await ready(OWF);
    const platform = { kind: 'platform' } as const;
    const hold = { workspaceId: 'acme', kind: 'workspace', id: 'acme', by: 'ann@acme.example', now: 1_000 } as const;
    await cluster.db.tx(platform, (tx) => holdByTool(tx, hold));
    await apply('Workspace', 'acme', { displayName: 'Acme 2', owner: 'o@acme.example' });
    for (const key of [CAMP, OWF])
      await eventually(key, async () => (await status(key)).hold === 'Held by ann@acme.example (workspace acme)');
    const [head = '', line = ''] = (await run(`-n ${NAMESPACE} get campaigns.outrider.dev`)).split('\n');
    expect(line.slice(head.indexOf('HOLD'))).to.match(/^Held by ann@acme\.example \(workspace acme\)/);
    expect(await condition(CAMP, 'Paused'), 'no tool stopped the campaign').to.equal(undefined);
    await cluster.db.tx(platform, (tx) => holdByTool(tx, { ...hold, kind: 'campaign', id: 'camp', by: 'bob' }));
    await apply('Campaign', 'camp', { workspaceRef: { name: 'acme' }, title: 'T2' });
    await eventually('nearest', async () => (await status(OWF)).hold === 'Held by bob (campaign camp)');
    await cluster.db.tx(platform, async (tx) => {
      await releaseHold(tx, 'campaign', 'camp');
      await releaseHold(tx, 'workspace', 'acme');
    });
    await apply('Workspace', 'acme', { displayName: 'Acme 3', owner: 'o@acme.example' });
    for (const key of [CAMP, OWF]) await eventually(key, async () => (await status(key)).hold === undefined);
  });

  it('a bad graph tells up to five errors in its status and one Event; a reference to nothing another', async () => {
    await cluster.operator();
    await applyAll();
    await ready(OWF);
    const bad = {
      nodes: Array.from({ length: 7 }, (_, index) => ({ nodeType: 'bad', label: `n${index}` })),
      edges: [],
    };
    await apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W', graph: bad });
    await eventually('stalled', async () => (await condition(OWF, 'Stalled'))?.reason === 'InvalidGraph');
    expect((await status(OWF)).graphErrors).to.have.length(5);
    expect(told('InvalidGraph')).to.deep.equal(['bad node (and 6 more)']);
    await apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W', graph: FLOW });
    await eventually('healed', async () => (await status(OWF)).graphErrors === undefined);
    await apply('Campaign', 'lost', { workspaceRef: { name: 'nowhere' }, title: 'T' });
    await eventually('told', () => told('RefNotFound').some((note) => note.includes('"nowhere"')));
  });

  it('deleting a workflow with leads under way by kubectl tells how many runs it stops, once, on its campaign too', async () => {
    await cluster.operator();
    await applyAll(true);
    await ready(OWF);
    await row(
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
       select gen_random_uuid(), 'acme', 'flow', 'camp', gen_random_uuid(), 1, 'n', 'waiting', 1, 1, 1 from generate_series(1, 2)`,
    );
    await run(`-n ${NAMESPACE} delete workflows.outrider.dev flow`);
    expect(await row('select count(*)::int as live from run where ended_at is null')).to.deep.equal({ live: 0 });
    expect(told('RunsStopped').map((note) => note.slice(0, 68))).to.deep.equal([
      'The workflow is deleted with 2 leads under way, whose runs are stopp',
      'Workflow "flow" is deleted with 2 leads under way, whose runs are st',
    ]);
  });

  it('the documented health checks of Argo CD and Flux say of real statuses what a person would', async () => {
    const { argo, flux } = await documentedChecks();
    const said = async (key: string): Promise<string[]> => {
      const object = await cluster.object(key);
      return object ? [argo(object), flux(object)] : [];
    };
    await applyAll();
    for (const key of [ACME, CAMP, OWF])
      expect(await said(key), `${key}, no operator`).to.deep.equal(['Progressing', 'InProgress']);
    await cluster.operator();
    await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
    for (const key of [ACME, CAMP, OWF]) expect(await said(key), key).to.deep.equal(['Healthy', 'Current']);
    const live = await cluster.object(OWF);
    const newer = { ...live, metadata: { ...live?.metadata, name: 'flow', generation: 99 } } as SpecObject;
    expect([argo(newer), flux(newer)]).to.deep.equal(['Progressing', 'InProgress']);
    const hold = { workspaceId: 'acme', kind: 'workflow', id: 'flow', by: 'ann', now: 1_000 } as const;
    await cluster.db.tx({ kind: 'platform' }, (tx) => holdByTool(tx, hold));
    await apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W2', graph: FLOW });
    // The hold may show before the new generation was looked at.
    await eventually('held', async () => (await said(OWF))[0] !== 'Progressing');
    expect(await said(OWF)).to.deep.equal(['Suspended', 'Current']);
    await apply('Workflow', 'flow', {
      campaignRef: { name: 'camp' },
      name: 'W2',
      graph: { nodes: [{ nodeType: 'bad' }], edges: [] },
    });
    await eventually('stalled', async () => (await said(OWF))[0] === 'Degraded');
    expect(await said(OWF)).to.deep.equal(['Degraded', 'Failed']);
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example', operatingMode: 'Suspended' });
    await eventually('suspended', async () => (await said(ACME))[0] === 'Suspended');
    expect(await said(ACME)).to.deep.equal(['Suspended', 'Current']);
  });
});
