import { expect } from 'chai';
import { systemIds } from '../../../pkg/base/ids.ts';
import type { OperatorContext } from '../../../pkg/controllers/context.ts';
import { resourcesBehind } from '../../../pkg/controllers/restore/resources-behind.ts';
import { NAMESPACES } from '../../../pkg/kube/resources.ts';
import type { KubeObject } from '../../../pkg/kube/types.ts';
import { projectCampaign } from '../../../pkg/store/resources/project-campaign.ts';
import { projectWorkflow } from '../../../pkg/store/resources/project-workflow.ts';
import { projectWorkspace } from '../../../pkg/store/resources/project-workspace.ts';
import { confirmAdoption } from '../../../pkg/store/restore/adoption.ts';
import { freezeForRestore } from '../../../pkg/store/restore/restore-guard.ts';
import { manifestOf } from '../../../pkg/store/restore/spec-of-rows.ts';
import { graphChecker } from '../../../pkg/tools/resources/graph-checker.ts';
import { RESOURCES } from '../../../pkg/tools/resources/kinds.ts';
import { ACME, CAMP, FLOW, fixtureOf, NAMESPACE, OWF } from '../../fixtures/controllers/operator-fixture.ts';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';

const ACME_REF = { name: 'acme', namespace: NAMESPACE };
const CAMP_REF = { name: 'camp', namespace: NAMESPACE };
const FLOW_REF = { name: 'flow', namespace: NAMESPACE };

describe('operator: objects that are lost, or deleted as nobody can have meant', () => {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await startTestCluster();
    await cluster.node();
  });
  afterEach(() => cluster.stop());
  const { apply, applyAll, condition, ready, row } = fixtureOf(() => cluster);

  const enrol = (): Promise<number> =>
    cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
         values (gen_random_uuid(), 'acme', 'flow', 'camp', gen_random_uuid(), 1, 'n', 'waiting', 7, 1, 1)`,
      ),
    );
  const live = async (): Promise<number> =>
    (await row<{ n: number }>('select count(*)::int as n from run where ended_at is null'))?.n ?? -1;
  const held = (): Promise<object[]> =>
    cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.rows<object>('select kind, id, reason from held_deletion order by kind'),
    );
  const gone = (key: string): Promise<true> =>
    eventually(`${key} gone`, async () => (await cluster.object(key)) === undefined);
  /** A campaign of one lead under way. */
  const underWay = async (): Promise<OperatorContext> => {
    const { context } = await cluster.operator();
    await applyAll(true);
    await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
    await enrol();
    return context;
  };
  const inForceAgain = async (): Promise<void> => {
    await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
    expect(await live(), 'its run goes on').to.equal(1);
    expect(await held()).to.deep.equal([]);
    expect(await row('select 1 from hold')).to.equal(undefined);
  };

  it('a stranger in a namespace made anew is Stalled with what is below, NameTaken, until a platform admin confirms', async () => {
    const projection = { now: 1, homeNamespace: NAMESPACE, ids: systemIds, checker: graphChecker };
    const former = (name: string, spec: object) => ({
      metadata: { name, namespace: NAMESPACE, uid: `former-${name}`, generation: 1 },
      spec,
    });
    await cluster.db.tx({ kind: 'platform' }, async (tx) => {
      await projectWorkspace(tx, former('acme', { displayName: 'Acme', owner: 'former@acme.example' }), projection);
      await projectCampaign(tx, former('camp', { workspaceRef: { name: 'acme' }, title: 'Former' }), projection);
      await projectWorkflow(tx, former('flow', { campaignRef: { name: 'camp' }, name: 'W', graph: FLOW }), projection);
    });
    await enrol();
    await cluster.operator();
    await applyAll(true);
    for (const key of [ACME, CAMP, OWF])
      await eventually(`${key} stalled`, async () => (await condition(key, 'Stalled'))?.reason === 'NameTaken');
    expect((await condition(ACME, 'Stalled'))?.message).to.include('outrider adopt acme');
    expect(await row('select title from campaign')).to.deep.equal({ title: 'Former' });
    const remove = cluster
      .resources()
      .delete({ kind: 'Campaign', workspaceId: 'acme', id: 'camp', finish: async () => ({}) });
    expect(await remove.catch((error: unknown) => error), 'keys of the former').to.include({ reason: 'NameTaken' });
    await cluster.db.tx({ kind: 'platform' }, (tx) => confirmAdoption(tx, 'acme', 2));
    await inForceAgain();
    expect(await row('select title from campaign')).to.deep.equal({ title: 'T' });
  });

  it('what is below a workspace that was deleted with --cascade=orphan stays, and goes on when that is applied again', async () => {
    await underWay();
    await cluster.client.delete(RESOURCES.Workspace, ACME_REF, { propagationPolicy: 'Orphan' });
    await gone(ACME);
    expect((await cluster.object(CAMP))?.metadata.deletionTimestamp).to.equal(undefined);
    expect((await cluster.object(OWF))?.metadata.deletionTimestamp).to.equal(undefined);
    expect(await held()).to.deep.equal([
      { kind: 'Workspace', id: 'acme', reason: 'it was deleted with --cascade=orphan' },
    ]);
    expect(await row('select kind, id from hold')).to.deep.equal({ kind: 'workspace', id: 'acme' });
    await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    await inForceAgain();
  });

  it('most objects of a workspace deleted at once: the objects go, the rows rest, and what they remember brings it back', async () => {
    const context = await underWay();
    const specs = await Promise.all([ACME, CAMP, OWF].map(async (key) => (await cluster.object(key))?.spec));
    await cluster.client.delete(RESOURCES.Workflow, FLOW_REF);
    await cluster.client.delete(RESOURCES.Workspace, ACME_REF);
    await cluster.client.delete(RESOURCES.Campaign, CAMP_REF);
    await Promise.all([gone(ACME), gone(CAMP), gone(OWF)]);
    expect(await live()).to.equal(1);
    expect((await held()).map((one) => (one as { kind: string }).kind)).to.deep.equal([
      'Campaign',
      'Workflow',
      'Workspace',
    ]);
    expect(await resourcesBehind(context), 'no restored cluster').to.deep.equal([]);
    const [told] = cluster.events.filter(({ reason }) => reason === 'DeletionHeld');
    expect(told?.note).to.match(/3 of 3 objects .* within a minute.*outrider deletions confirm/);
    const manifests = await cluster.db.tx({ kind: 'platform' }, async (tx) => [
      await manifestOf(tx, 'Workspace', 'acme', NAMESPACE),
      await manifestOf(tx, 'Campaign', 'camp', NAMESPACE),
      await manifestOf(tx, 'Workflow', 'flow', NAMESPACE),
    ]);
    for (const manifest of manifests) {
      if (!manifest) throw new Error('a row remembers nothing');
      const object = manifest as unknown as KubeObject;
      await cluster.client.apply(RESOURCES[manifest.kind], object, { fieldManager: 'kubectl', force: false });
    }
    await inForceAgain();
    const again = await Promise.all([ACME, CAMP, OWF].map(async (key) => (await cluster.object(key))?.spec));
    // Projections give each node an id, and the operator writes the state of an activated draft after it is in force.
    const later = /"(nodeId|state)":"[^"]+",?/g;
    const plain = (all: unknown): unknown =>
      JSON.parse(JSON.stringify(all).replaceAll(later, '').replaceAll(',}', '}'));
    expect(plain(again)).to.deep.equal(plain(specs));
  });

  it('what the garbage collector deletes for an owner of an earlier cluster keeps its rows', async () => {
    await underWay();
    const dead = { apiVersion: 'outrider.dev/v1alpha1', kind: 'Workspace', name: 'acme', uid: 'of-an-earlier-cluster' };
    // The operator cannot take it away in time; what kubectl asks for goes through.
    cluster.api.fault = (method, path, query) =>
      method === 'PATCH' && path.includes('/campaigns/camp') && query.get('fieldManager') !== 'kubectl'
        ? { code: 503, reason: 'ServiceUnavailable', message: 'down' }
        : undefined;
    const patch = { metadata: { ownerReferences: [dead] } };
    await cluster.client.mergePatch(RESOURCES.Campaign, CAMP_REF, patch, { fieldManager: 'kubectl' });
    await eventually('going', async () => (await cluster.object(CAMP))?.metadata.deletionTimestamp !== undefined);
    cluster.api.fault = undefined;
    await gone(CAMP);
    expect(await live()).to.equal(1);
    await apply('Campaign', 'camp', { workspaceRef: { name: 'acme' }, title: 'T' });
    await inForceAgain();
  });

  it('a namespace that is deleted does not hang, and keeps the rows of what was in it', async () => {
    const context = await underWay();
    await cluster.client.delete(NAMESPACES, { name: NAMESPACE });
    await eventually('gone', async () => (await cluster.client.find(NAMESPACES, { name: NAMESPACE })) === undefined);
    await eventually('seen', () => context.workspaces.store.size + context.workflows.store.size === 0);
    expect(await live()).to.equal(1);
    expect(await held()).to.have.length(3);
  });

  it('while a restored backup is suspected a deletion holds the rows; a single one otherwise ends them', async () => {
    await underWay();
    await cluster.db.tx({ kind: 'platform' }, (tx) => freezeForRestore(tx, 1, 'restored', {}));
    await cluster.client.delete(RESOURCES.Workflow, FLOW_REF);
    await gone(OWF);
    expect(await live()).to.equal(1);
    await apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W', enabled: true, graph: FLOW });
    await inForceAgain();
    await cluster.db.tx({ kind: 'platform' }, (tx) => tx.exec('delete from send_freeze'));
    await cluster.client.delete(RESOURCES.Workflow, FLOW_REF);
    await gone(OWF);
    expect(await live()).to.equal(0);
    expect(await held()).to.deep.equal([]);
    expect(await row('select 1 from hold')).to.equal(undefined);
  });
});
