import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { Registry as Metrics } from 'prom-client';
import { parseAllDocuments } from 'yaml';
import { CAMPAIGN_MOVES } from '../../../pkg/api/campaign-moves.ts';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { executorPod } from '../../../pkg/controllers/workspace/pod.ts';
import { CAMPAIGN_STATES } from '../../../pkg/domain/vocabulary.ts';
import { KubeClient } from '../../../pkg/kube/client.ts';
import { createKubeMetrics } from '../../../pkg/metrics/kube-metrics.ts';
import { setUpCluster } from '../../../pkg/standalone/kube-setup.ts';
import { type Answer, TestApi } from '../../fixtures/kubeapi/harness.ts';
import { eventually } from '../../tools/kube.ts';

const CRDS = new URL('../../../crds/', import.meta.url).pathname;

describe('Kubernetes API: the product on it', () => {
  let api: TestApi;
  let client: KubeClient;
  before(async () => {
    api = await TestApi.start();
    const runtime = {
      clock: new SystemClock(),
      random: () => 0.5,
      ids: systemIds,
      log: createLogger('test', 'silent'),
      metrics: createKubeMetrics(new Metrics()),
    };
    client = KubeClient.open({ text: await readFile(api.kubeconfig, 'utf8') }, runtime, { qps: 1_000, burst: 1_000 });
    await setUpCluster(client, 'outrider', 'postgres://nobody');
  });
  after(async () => {
    await client.close();
    await api.stop();
  });

  const workflows = '/apis/outrider.dev/v1alpha1/namespaces/outrider/workflows';
  const workflow = (name: string, spec: object): Promise<Answer> =>
    api.call('POST', `${workflows}?fieldValidation=Strict`, {
      apiVersion: 'outrider.dev/v1alpha1',
      kind: 'Workflow',
      metadata: { name },
      spec,
    });

  it('every definition of the product is accepted and served', async () => {
    for (const file of (await readdir(CRDS)).filter((name) => name.endsWith('.yaml'))) {
      for (const document of parseAllDocuments(await readFile(`${CRDS}${file}`, 'utf8'))) {
        const { spec } = document.toJS() as { spec: { names: { plural: string; shortNames: string[] } } };
        expect((await api.kubectl(`get ${spec.names.shortNames[0] ?? spec.names.plural} -A`)).code).to.equal(0);
      }
    }
    expect((await api.kubectl('get outrider -A')).stderr).to.equal('No resources found\n');
    // A real server publishes the schemas of definitions some time after it serves them.
    await eventually('kubectl explains the product', async () =>
      (await api.kubectl('explain workflow.spec.graph.nodes')).stdout.includes('<[]Object>'),
    );
  });

  it('setting up twice changes nothing', async () => {
    const versions = async (): Promise<string[]> => {
      const list = await api.call('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
      return list.body.items.map((item) => item.metadata.resourceVersion);
    };
    // A real server may still be writing conditions of its own: some setting up must change nothing.
    await eventually('setting up changes nothing', async () => {
      const before = await versions();
      await setUpCluster(client, 'outrider', 'postgres://nobody');
      return (await versions()).join() === before.join();
    });
  });

  it('the rules of the product run: an edge to no node is refused by the server', async () => {
    const nodes = [{ nodeType: 'source:manual' }];
    const spec = { campaignRef: { name: 'camp' }, name: 'First', graph: { nodes } };
    const edges = [{ sourceIndex: 0, targetIndex: 3 }];
    const refused = await workflow('broken', { ...spec, graph: { nodes, edges } });
    expect(refused.code, refused.body.message).to.equal(422);
    expect(refused.body.message).to.contain('every edge must point at positions in nodes');
    const fine = await workflow('fine', spec);
    expect(fine.code, fine.body.message).to.equal(201);
    const named = await workflow('a.b', spec);
    expect(named.code).to.equal(422);
    const moved = await api.patch(`${workflows}/fine`, 'merge', { spec: { campaignRef: { name: 'other' } } });
    expect(moved.body.message).to.contain('campaignRef is immutable');
  });

  it('the pod of a Workspace that asks for more or allows less than the default is one that the server takes', async () => {
    const settings = { image: 'outrider:1', env: {}, databaseSecret: 'db', serviceAccount: 'ex', command: ['node'] };
    for (const resources of [
      { requests: { memory: '1Gi' } },
      { limits: { memory: '64Mi' } },
      { limits: { cpu: '20m' } },
      { requests: { cpu: 2 }, limits: { cpu: '2' } },
    ]) {
      const executor = { idleTimeout: '5m', resources };
      const role = { role: 'workspace', id: 'a', key: 'outrider/a', uid: 'u', owner: undefined, executor } as const;
      const pod = executorPod('ex-u', 'outrider', role, settings);
      const taken = await api.call('POST', '/api/v1/namespaces/outrider/pods?dryRun=All', pod);
      expect(taken.code, `${JSON.stringify(resources)}: ${taken.body.message}`).to.equal(201);
    }
  });

  it('a graph that leaves defaults out is the same for each manager that says so, and another graph a conflict', async () => {
    const nodes = [{ nodeType: 'source:manual' }];
    const flow = {
      apiVersion: 'outrider.dev/v1alpha1',
      kind: 'Workflow',
      metadata: { name: 'short' },
      spec: { campaignRef: { name: 'camp' }, name: 'First', graph: { nodes } },
    };
    const made = await api.apply(`${workflows}/short`, 'flux', flow);
    const again = await api.apply(`${workflows}/short`, 'flux', flow);
    expect(again.body.metadata.resourceVersion).to.equal(made.body.metadata.resourceVersion);
    const other = await api.apply(`${workflows}/short`, 'kubectl', flow);
    expect([other.code, other.body.metadata.generation]).to.deep.equal([200, 1]);
    const named = { ...flow, spec: { ...flow.spec, graph: { nodes: [{ nodeType: 'source:manual', label: '' }] } } };
    const refused = await api.apply(`${workflows}/short`, 'argocd', named);
    expect(refused.body.message).to.contain('with "flux"').and.to.contain('.spec.graph.nodes');
  });

  it('a campaign moves by kubectl only where the state machine lets it', async () => {
    const campaigns = '/apis/outrider.dev/v1alpha1/namespaces/outrider/campaigns';
    for (const from of CAMPAIGN_STATES) {
      for (const to of CAMPAIGN_STATES) {
        const name = `${from}-${to}`;
        const made = await api.call('POST', campaigns, {
          apiVersion: 'outrider.dev/v1alpha1',
          kind: 'Campaign',
          metadata: { name },
          spec: { workspaceRef: { name: 'ws' }, title: name, state: from },
        });
        expect(made.code, made.body.message).to.equal(201);
        const moved = await api.patch(`${campaigns}/${name}`, 'merge', { spec: { state: to } });
        // An enabled draft is active while its spec says draft, and can be stopped.
        const known = [...(CAMPAIGN_MOVES[from] ?? []), ...(from === 'draft' ? (CAMPAIGN_MOVES['active'] ?? []) : [])];
        const allowed = from === to || known.includes(to);
        expect(moved.code, `${name}: ${moved.body.message}`).to.equal(allowed ? 200 : 422);
        if (!allowed) expect(moved.body.message).to.contain('this move is not allowed');
      }
    }
  });
});
