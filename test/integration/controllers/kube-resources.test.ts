import { expect } from 'chai';
import { campaignSpec } from '../../../pkg/api/campaign.ts';
import type { CampaignSpec, WorkflowSpec } from '../../../pkg/api/specs.ts';
import { workflowSpec } from '../../../pkg/api/workflow.ts';
import { workspaceSpec } from '../../../pkg/api/workspace.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../pkg/kube/resources.ts';
import type { KubeObject, SpecObject } from '../../../pkg/kube/types.ts';
import { projectCampaign } from '../../../pkg/store/resources/project-campaign.ts';
import { type OutriderObject, RESOURCES } from '../../../pkg/tools/resources/kinds.ts';
import type { KeyedResources } from '../../../pkg/tools/resources/resources.ts';
import { intentOf } from '../../tools/intent-of.ts';
import { startTestCluster, type TestCluster } from '../../tools/kube.ts';

const CAMPAIGN: CampaignSpec = campaignSpec.parse({ workspaceRef: { name: 'acme' }, title: 'First' });

describe('writes of resources by tools', () => {
  let cluster: TestCluster;
  let finished = 0;
  beforeEach(async () => {
    cluster = await startTestCluster();
    await cluster.resources({ ids: { uuid: cluster.runtime.ids.uuid, name: () => 'acme' } }).create({
      kind: 'Workspace',
      workspaceId: '',
      prefix: 'ws',
      spec: workspaceSpec.parse({ displayName: 'Acme', owner: 'o@acme.example' }),
      intent: intentOf('', 'acme'),
      finish: async (_tx, written) => ({ id: written.id }),
    });
  });
  afterEach(() => cluster.stop());

  const createCampaign = (resources: KeyedResources, key?: string, spec = CAMPAIGN): Promise<{ campaignId: string }> =>
    resources.create({
      kind: 'Campaign',
      workspaceId: 'acme',
      prefix: 'camp',
      spec,
      intent: intentOf('acme', key, JSON.stringify(spec)),
      finish: async (_tx, written) => {
        finished++;
        return { campaignId: written.id };
      },
    });
  const updateCampaign = (id: string, change: (spec: CampaignSpec) => CampaignSpec): Promise<{ generation: number }> =>
    cluster.resources().update({
      kind: 'Campaign',
      workspaceId: 'acme',
      id,
      change,
      finish: async (_tx, written) => ({ generation: written.generation }),
    });
  const rows = <T>(sql: string): Promise<T[]> => cluster.db.tx({ kind: 'platform' }, (tx) => tx.rows<T>(sql));
  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );
  const kubectl = (id: string, spec: object, force = true): Promise<KubeObject> => {
    const object = {
      apiVersion: 'outrider.dev/v1alpha1',
      kind: 'Campaign',
      metadata: { name: id, namespace: 'outrider' },
      spec,
    };
    return cluster.client.apply(RESOURCES.Campaign, object as KubeObject, { fieldManager: 'kubectl', force });
  };

  it('the caller reads its own write', async () => {
    const { campaignId } = await createCampaign(cluster.resources());
    expect(campaignId).to.match(/^camp-/);
    expect(await rows('select id, title from campaign')).to.deep.equal([{ id: campaignId, title: 'First' }]);
    expect((await cluster.object(`campaigns/outrider/${campaignId}`))?.spec).to.include({ title: 'First' });
  });

  it('a definition that is older than the program is told, and no outage; once it is upgraded the same call succeeds', async () => {
    const definition = { name: 'campaigns.outrider.dev' };
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/goal';
    const { spec } = await cluster.client.get<SpecObject>(CUSTOM_RESOURCE_DEFINITIONS, definition);
    const write = { fieldManager: 'test' };
    await cluster.client.jsonPatch(CUSTOM_RESOURCE_DEFINITIONS, definition, [{ op: 'remove', path }], write);
    const aimed = { ...CAMPAIGN, goal: 'Ten talks' };
    const refused = await failure(createCampaign(cluster.resources(), 'k', aimed));
    expect(refused).to.include({ name: 'UserError', reason: 'DefinitionsOutdated' });
    expect((refused as Error).message).to.contain('do not know "spec.goal"');
    await cluster.client.mergePatch(CUSTOM_RESOURCE_DEFINITIONS, definition, { spec }, write);
    await createCampaign(cluster.resources(), 'k', aimed);
    expect(await rows('select title from campaign')).to.deep.equal([{ title: 'First' }]);
  });

  for (const gap of ['intent', 'applied', 'projected'] as const) {
    it(`a crash at the gap "${gap}", then a retry: one object, one answer`, async () => {
      const crash = (reached: string): void => {
        if (reached === gap) throw new Error('killed');
      };
      expect(await failure(createCampaign(cluster.resources({ onGap: crash }), 'key-1'))).to.include({
        message: 'killed',
      });
      const first = await createCampaign(cluster.resources(), 'key-1');
      expect(await createCampaign(cluster.resources(), 'key-1')).to.deep.equal(first);
      expect(await cluster.list('campaigns')).to.have.length(1);
      expect(await rows('select id from campaign')).to.deep.equal([{ id: first.campaignId }]);
    });
  }

  it('ten callers with one key make one object and get one answer', async () => {
    finished = 0;
    const answers = await Promise.all(Array.from({ length: 10 }, () => createCampaign(cluster.resources(), 'same')));
    expect(finished, 'the answer was made once').to.equal(1);
    expect(new Set(answers.map((answer) => answer.campaignId)).size).to.equal(1);
    expect(await cluster.list('campaigns')).to.have.length(1);
  });

  it('the same key with other input is refused', async () => {
    await createCampaign(cluster.resources(), 'key-1');
    const other = await failure(createCampaign(cluster.resources(), 'key-1', { ...CAMPAIGN, title: 'Other' }));
    expect(other).to.include({ name: 'UserError', reason: 'IdempotencyMismatch' });
  });

  it('what the API server refuses is invalid input, and the key stays free', async () => {
    const long = { ...CAMPAIGN, title: 'x'.repeat(300) };
    const refused = await failure(createCampaign(cluster.resources(), 'key-1', long));
    expect(refused).to.include({ name: 'UserError', reason: 'InvalidInput' });
    expect((refused as Error).message).to.match(/^Invalid input: title: /);
    expect((await createCampaign(cluster.resources(), 'key-1')).campaignId).to.match(/^camp-/);
  });

  for (const [code, reason, message] of [
    [500, '', 'etcdserver: request is too large'],
    [
      500,
      '',
      'rpc error: code = ResourceExhausted desc = trying to send message larger than max (2400000 vs. 2097152)',
    ],
    [413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'],
  ] as const) {
    it(`an object that is too large is no outage but to be made smaller, and the key stays free: ${message}`, async () => {
      cluster.api.fault = (method) => (method === 'PATCH' ? { code, reason, message } : undefined);
      const refused = await failure(createCampaign(cluster.resources(), 'key-1'));
      cluster.api.fault = undefined;
      expect(refused).to.include({ name: 'UserError', reason: 'InvalidInput' });
      expect((refused as Error).message).to.match(/too large for the Kubernetes API/);
      const smaller = { ...CAMPAIGN, title: 'Smaller' };
      expect((await createCampaign(cluster.resources(), 'key-1', smaller)).campaignId).to.match(/^camp-/);
    });
  }

  it('says that the Kubernetes API cannot be reached, and a retry finishes', async () => {
    cluster.api.down = true;
    const refused = await failure(createCampaign(cluster.resources(), 'key-1'));
    expect(refused).to.include({ name: 'UserError', reason: 'KubernetesUnavailable' });
    expect((refused as Error).message).to.match(/^The Kubernetes API cannot be reached/);
    cluster.api.down = false;
    await createCampaign(cluster.resources(), 'key-1');
    expect(await cluster.list('campaigns')).to.have.length(1);
  });

  it('absent is unchanged: an update keeps every other field that the tools own', async () => {
    const { campaignId } = await createCampaign(cluster.resources(), undefined, {
      ...CAMPAIGN,
      goal: 'Meetings',
      scoreMin: 70,
    });
    await updateCampaign(campaignId, (spec) => ({ ...spec, title: 'Second' }));
    expect((await cluster.object(`campaigns/outrider/${campaignId}`))?.spec).to.include({
      title: 'Second',
      goal: 'Meetings',
      scoreMin: 70,
    });
    expect(await rows('select title, goal, generation from campaign')).to.deep.equal([
      { title: 'Second', goal: 'Meetings', generation: 2 },
    ]);
  });

  it('an update that changes nothing writes nothing', async () => {
    const { campaignId } = await createCampaign(cluster.resources());
    const before = cluster.api.writes.length;
    expect(await updateCampaign(campaignId, (spec) => spec)).to.deep.equal({ generation: 1 });
    expect(cluster.api.writes).to.have.length(before);
  });

  it('a conflict names object, field and manager, and the way out; fields of nobody else can still be changed', async () => {
    const { campaignId } = await createCampaign(cluster.resources());
    await kubectl(campaignId, { title: 'From Git' });
    const refused = await failure(updateCampaign(campaignId, (spec) => ({ ...spec, title: 'Mine' })));
    const { message } = refused as Error;
    expect(message).to.match(/"spec\.title" is managed by "kubectl"/);
    expect(message).to.contain(`Campaign "${campaignId}" in namespace "`);
    expect(message).to.match(/release-field/);
    expect(await rows('select title from campaign')).to.deep.equal([{ title: 'First' }]);
  });

  it('a field that another manager owns is not removed silently', async () => {
    const { campaignId } = await createCampaign(cluster.resources());
    await kubectl(campaignId, { playbookOverride: 'Be kind.' });
    const refused = await failure(updateCampaign(campaignId, ({ playbookOverride: _, ...spec }) => spec));
    expect((refused as Error).message).to.match(/"spec\.playbookOverride" is managed by "kubectl"/);
  });

  it('reading the live object heals a projection that was missed', async () => {
    const { campaignId } = await createCampaign(cluster.resources());
    await kubectl(campaignId, { goal: 'From kubectl' });
    await updateCampaign(campaignId, (spec) => ({ ...spec, description: 'D' }));
    expect(await rows('select goal, description from campaign')).to.deep.equal([
      { goal: 'From kubectl', description: 'D' },
    ]);
  });

  it('a deletion marks the rows of what it deleted, not of an object that took its name meanwhile', async () => {
    const spec = { workspaceRef: { name: 'acme' }, title: 'By hand' };
    await kubectl('camp', spec);
    await updateCampaign('camp', (before) => ({ ...before, goal: 'Meetings' }));
    const ref = { name: 'camp', namespace: 'outrider' };
    const again = async (gap: string): Promise<void> => {
      if (gap !== 'applied') return;
      const { metadata } = await cluster.client.get(RESOURCES.Campaign, ref);
      await cluster.client.mergePatch(RESOURCES.Campaign, ref, { metadata: { finalizers: [] } }, { fieldManager: 'o' });
      await kubectl('camp', spec);
      await expectRefusal();
      // The operator was told of the deletion.
      const live = { deletedUids: [metadata.uid ?? ''] };
      const object = await cluster.client.get<OutriderObject>(RESOURCES.Campaign, ref);
      const projection = { now: 1, homeNamespace: 'outrider', ids: systemIds, live };
      await cluster.db.tx({ kind: 'platform' }, (tx) => projectCampaign(tx, object, projection));
      await updateCampaign('camp', (before) => ({ ...before, goal: 'Again' }));
    };
    const expectRefusal = async (): Promise<void> => {
      const refused = await failure(updateCampaign('camp', (before) => ({ ...before, goal: 'Too early' })));
      expect(refused).to.include({ name: 'UserError', reason: 'NameTaken' });
    };
    await cluster.resources({ onGap: again }).delete({
      kind: 'Campaign',
      workspaceId: 'acme',
      id: 'camp',
      finish: async () => ({}),
    });
    expect(await rows('select goal, deleted_at from campaign')).to.deep.equal([{ goal: 'Again', deleted_at: null }]);
  });

  it('an object that is gone is not found', async () => {
    const refused = await failure(updateCampaign('nobody', (spec) => spec));
    expect((refused as Error).message).to.equal(
      'Campaign "nobody" was not found. Call svc_list_campaigns to find valid IDs.',
    );
  });

  it('nodes carry their id in the resource and keep it over edits', async () => {
    const { campaignId } = await createCampaign(cluster.resources());
    const spec = workflowSpec.parse({
      campaignRef: { name: campaignId },
      name: 'W',
      graph: { nodes: [{ nodeType: 'network:profile_view' }, { nodeType: 'network:message', label: 'Hi' }], edges: [] },
    });
    const { id } = await cluster.resources().create({
      kind: 'Workflow',
      workspaceId: 'acme',
      prefix: 'flow',
      spec,
      intent: intentOf('acme'),
      finish: async (_tx, written) => ({ id: written.id }),
    });
    const nodeIds = async (): Promise<(string | undefined)[]> => {
      const stored = (await cluster.object(`workflows/outrider/${id}`)) as unknown as { spec: WorkflowSpec };
      return stored.spec.graph.nodes.map((node) => node.nodeId);
    };
    expect(await nodeIds()).to.deep.equal(['network-profile-view', 'hi']);
    await cluster.resources().update({
      kind: 'Workflow',
      workspaceId: 'acme',
      id,
      change: (current) => ({
        ...current,
        graph: { ...current.graph, nodes: [...spec.graph.nodes].reverse().map(({ nodeId: _, ...node }) => node) },
      }),
      finish: async () => ({}),
    });
    expect(await nodeIds()).to.deep.equal(['hi', 'network-profile-view']);
    expect(await rows('select graph_version from workflow')).to.deep.equal([{ graph_version: 2 }]);
  });
});
