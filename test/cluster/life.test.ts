import { expect } from 'chai';
import { eventually } from '../tools/kube.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { describeFailure, install, loadImages, type Release } from './release.ts';

const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
const API = 'outrider.dev/v1alpha1';

type Received = { kind: string; target: string; text: string }[];

describe('life on a real cluster', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let release: Release;

  before(async function () {
    this.timeout(1_800_000);
    cluster = await openCluster();
    console.log(`      ${cluster.how}; ${(await cluster.kubectl(['version'])).trim().split('\n').at(-1)}`);
    await loadImages(cluster);
    release = await install(cluster);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.log(await describeFailure(release));
  });
  after(async function () {
    this.timeout(180_000);
    await release?.close();
    await cluster?.stop();
  });

  it('helm test passes: the MCP server answers with the first key', async () => {
    const report = await cluster.helm(['test', release.name, '-n', release.namespace, '--timeout', '2m']);
    expect(report).to.match(/Phase:\s+Succeeded/);
  });

  it('a Workspace, Campaign and Workflow applied with kubectl message a real person once', async () => {
    await release.apply({
      apiVersion: API,
      kind: 'Workspace',
      metadata: { name: 'acme' },
      spec: { displayName: 'Acme', owner: 'admin@example.com', businessHours: ALWAYS },
    });
    await release.apply({
      apiVersion: API,
      kind: 'Campaign',
      metadata: { name: 'pilot' },
      spec: { workspaceRef: { name: 'acme' }, title: 'Pilot', goal: 'meetings', businessHours: ALWAYS },
    });
    await release.apply({
      apiVersion: API,
      kind: 'Workflow',
      metadata: { name: 'hello' },
      spec: {
        campaignRef: { name: 'pilot' },
        name: 'Hello',
        enabled: false,
        graph: {
          nodes: [
            { nodeId: 'leads', nodeType: 'source:manual', label: 'Leads', config: {} },
            {
              nodeId: 'hello',
              nodeType: 'network:message',
              label: 'Hello',
              config: { textMode: 'static', text: 'Hello {{lead:firstName}}' },
            },
          ],
          edges: [{ sourceIndex: 0, targetIndex: 1 }],
        },
      },
    });
    await release.kubectl('wait', '--for=condition=Ready', 'ows/acme', 'ocamp/pilot', '--timeout=60s');
    const { accountId } = await release.call<{ accountId: string }>('svc_admin_link_account', {
      action: 'register',
      accountKind: 'network',
      tier: 'premium',
      displayName: 'Ada',
      externalId: 'acc-ada',
      timezone: 'UTC',
    });
    await release.call('svc_admin_link_account', {
      action: 'link',
      accountKind: 'network',
      accountId,
      workspaceId: 'acme',
    });
    await release.sql('update network_account set business_hours = $1 where id = $2', [ALWAYS, accountId]);
    await release.sandbox('POST', 'people', { publicId: 'grace-hopper', behaviour: 'connected' });
    await release.call('svc_import_leads_csv', {
      workspaceId: 'acme',
      campaignId: 'pilot',
      csv: 'firstName,lastName,company,profileUrl\nGrace,Hopper,Navy,https://www.linkedin.com/in/grace-hopper\n',
    });
    const { leads } = await release.call<{ leads: { leadId: string }[] }>('svc_search_leads', { workspaceId: 'acme' });
    await release.kubectl('patch', 'owf/hello', '--type=merge', '-p', '{"spec":{"enabled":true}}');
    await release.kubectl('wait', '--for=condition=Ready', 'owf/hello', '--timeout=60s');
    await release.call('svc_trigger_workflow', { workflowId: 'hello', leadIds: leads.map((lead) => lead.leadId) });
    await eventually(
      'the message',
      async () => {
        const items = await release.sandbox<Received>('GET', 'received');
        return items.some((item) => item.kind === 'message');
      },
      120_000,
    );
    const items = await release.sandbox<Received>('GET', 'received');
    expect(items.filter((item) => item.kind === 'message').map((item) => item.text)).to.deep.equal(['Hello Grace']);
  });

  it('what tools make appears in kubectl get outrider, with printer columns, events and explain', async () => {
    const { campaignId } = await release.call<{ campaignId: string }>('svc_create_campaign', {
      workspaceId: 'acme',
      title: 'By tool',
      goal: 'talks',
      description: '',
    });
    expect(await release.kubectl('get', 'outrider')).to.include(campaignId);
    expect(await release.kubectl('get', 'ocamp', campaignId)).to.match(/READY\s+REASON\s+STATE/);
    expect(await release.kubectl('describe', 'ows', 'acme')).to.match(/Events:[\s\S]*Executor/);
    expect(await release.kubectl('explain', 'workflows.outrider.dev.spec.graph.nodes')).to.include('nodeType');
    const chosen = await release.kubectl(
      'get',
      'ocamp',
      '--field-selector',
      'spec.workspaceRef.name=acme',
      '-o',
      'name',
    );
    expect(chosen.trim().split('\n')).to.have.length(2);
  });
});
