import { expect } from 'chai';
import { stringify } from 'yaml';
import { Database } from '../../../pkg/postgres/database.ts';
import { FakeNetwork } from '../../fixtures/engine/fake-network.ts';
import { type EngineHandle, openEngine } from '../../fixtures/engine/harness.ts';
import { connectAccount, platformAdmin, searchAll } from '../../fixtures/stories/people.ts';
import { MONDAY } from '../../fixtures/tools/mcp-fixture.ts';
import { eventually } from '../../tools/kube.ts';
import { kubectl } from '../../tools/kubectl.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

/** Catalog record DiagnosticCheck. */
interface Check {
  check: string;
  ok: boolean;
  nextTool: string | null;
}

const DAY = 86_400_000;
const PEOPLE = 40;

const object = (kind: string, name: string, spec: object): object => ({
  apiVersion: 'outrider.dev/v1alpha1',
  kind,
  metadata: { name, namespace: 'outrider' },
  spec,
});

// What lives in a resource may be kept in files: kubectl and tools change the same things and see each other's changes.
describe('story: kubectl as a peer of the tools', function () {
  this.timeout(180_000);
  let tools: McpTools;
  let globex: ToolUser;
  let executor: Database;
  let handle: EngineHandle;

  before(async () => {
    tools = await startMcpTools();
    tools.cluster.clock.at = MONDAY;
    await tools.cluster.operator();
    executor = new Database({ url: tools.cluster.executorUrl, max: 4, applicationName: 'test' });
  });
  after(async () => {
    await executor.close();
    await tools.stop();
  });

  const run = async (args: string[], input?: string): Promise<string> => {
    const answer = await kubectl(tools.cluster.api.kubeconfigPath, args, {
      timeoutMs: 90_000,
      ...(input === undefined ? {} : { input }),
    });
    if (answer.code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${answer.stderr}`);
    return answer.stdout;
  };
  const apply = (...objects: object[]): Promise<string> =>
    run(['apply', '--server-side', '-f', '-'], objects.map((one) => stringify(one)).join('---\n'));
  const ready = (...names: string[]): Promise<string> =>
    run(['wait', '--for=condition=Ready', '--timeout=80s', '-n', 'outrider', ...names]);
  const field = (name: string, path: string): Promise<string> =>
    run(['get', name, '-n', 'outrider', '-o', `jsonpath={${path}}`]);

  const campaign = (state: string): object =>
    object('Campaign', 'globex-spring', {
      workspaceRef: { name: 'globex' },
      title: 'Spring',
      goal: 'Ten talks',
      state,
    });
  const workflow = (tag: string, more: object = {}): object =>
    object('Workflow', 'globex-hello', {
      campaignRef: { name: 'globex-spring' },
      name: 'Hello',
      ...more,
      graph: {
        nodes: [
          { nodeId: 'start', nodeType: 'source:manual' },
          { nodeId: 'nap', nodeType: 'flow:wait', label: 'Nap', config: { waitType: 'duration', durationMs: DAY } },
          { nodeId: 'mark', nodeType: 'lead:tag', label: 'Mark', config: { add: [tag] } },
        ],
        edges: [
          { sourceIndex: 0, targetIndex: 1 },
          { sourceIndex: 1, targetIndex: 2 },
        ],
      },
    });
  const enabled = async (): Promise<boolean> =>
    (await globex.call<{ workflow: { enabled: boolean } }>('svc_get_workflow', { workflowId: 'globex-hello' })).workflow
      .enabled;

  /** People enter the workflow and wait in it. */
  const begin = async (...names: string[]): Promise<void> => {
    const rows = names.map((name) => `${name},Test,${name.toLowerCase()}@globex.example`);
    await globex.call('svc_import_leads_csv', { csv: `First name,Last name,Email\n${rows.join('\n')}\n` });
    const ids = new Map((await searchAll(globex, {})).map((lead) => [lead.firstName, lead.leadId]));
    const started = await globex.call<{ skipped: object[] }>('svc_trigger_workflow', {
      workflowId: 'globex-hello',
      leadIds: names.map((name) => ids.get(name)),
    });
    expect(started.skipped).to.deep.equal([]);
    await handle.quiet();
  };
  const tagsOf = async (start: string): Promise<string[]> =>
    (await searchAll(globex, {})).filter((lead) => lead.firstName.startsWith(start)).flatMap((lead) => lead.tags);

  it('what kubectl applies is there for the tools', async () => {
    await apply(
      object('Workspace', 'globex', { displayName: 'Globex', owner: 'owner@globex.example' }),
      campaign('active'),
      workflow('old'),
    );
    await ready('ows/globex', 'ocamp/globex-spring', 'owf/globex-hello');
    globex = await tools.as({ workspace: 'globex' });
    await connectAccount(await platformAdmin(tools), ['globex']);
    const { campaigns } = await globex.call<{ campaigns: { campaignId: string; title: string; status: string }[] }>(
      'svc_list_campaigns',
      {},
    );
    expect(campaigns.map(({ campaignId, title, status }) => ({ campaignId, title, status }))).to.deep.equal([
      { campaignId: 'globex-spring', title: 'Spring', status: 'active' },
    ]);
    expect(await enabled()).to.equal(false);
  });

  it('a graph that is edited by kubectl while people are in it: they go on in the new version', async () => {
    await apply(workflow('old', { enabled: true }));
    await ready('owf/globex-hello');
    expect(await enabled()).to.equal(true);
    const { clock, db: app } = tools.cluster;
    handle = await openEngine({ app, executor, clock }, 'globex', new FakeNetwork());
    await begin(...Array.from({ length: PEOPLE }, (_, n) => `Lead${n}`));
    await apply(workflow('new', { enabled: true, inFlight: 'migrate' }));
    await ready('owf/globex-hello');
    expect(await field('owf/globex-hello', '.status.graphVersion')).to.equal('2');
    clock.at = clock.now() + DAY;
    await handle.quiet();
    expect(await tagsOf('Lead')).to.deep.equal(Array.from({ length: PEOPLE }, () => 'new'));
  });

  it('a graph that is edited with finish: those under way end on the version they began, who comes later takes the new one', async () => {
    const { clock } = tools.cluster;
    await begin('Late1', 'Late2');
    await apply(workflow('newer', { enabled: true, inFlight: 'finish_on_old' }));
    await ready('owf/globex-hello');
    expect(await field('owf/globex-hello', '.status.graphVersion')).to.equal('3');
    await begin('Last');
    clock.at = clock.now() + DAY;
    await handle.quiet();
    handle.deps.claim.stop();
    expect([await tagsOf('Late'), await tagsOf('Last')]).to.deep.equal([['new', 'new'], ['newer']]);
  });

  it('what a tool changes shows in kubectl; what kubectl owns is refused with its name', async () => {
    await globex.call('svc_update_campaign', { campaignId: 'globex-spring', scoreMin: 70 });
    expect(await field('ocamp/globex-spring', '.spec.scoreMin')).to.equal('70');
    const refused = await globex.refusal('svc_update_campaign', { campaignId: 'globex-spring', title: 'Summer' });
    expect(refused).to.contain('kubectl').and.to.contain('title');
    await apply(campaign('active'));
    expect(await field('ocamp/globex-spring', '.spec.scoreMin'), 'a file that does not name it leaves it').to.equal(
      '70',
    );
  });

  it('stopping works by tool where kubectl owns the field, and shows; kubectl pauses and completes the campaign', async () => {
    await globex.call('svc_update_workflow_status', { workflowId: 'globex-hello', enabled: false });
    await run(['wait', '--for=condition=Paused', '--timeout=80s', '-n', 'outrider', 'owf/globex-hello']);
    expect(await field('owf/globex-hello', '.status.conditions[?(@.type=="Paused")].reason')).to.equal('StoppedByTool');
    await apply(campaign('paused'));
    await ready('ocamp/globex-spring');
    const status = async (): Promise<string> =>
      (await globex.call<{ campaign: { status: string } }>('svc_get_campaign', { campaignId: 'globex-spring' }))
        .campaign.status;
    expect(await status()).to.equal('paused');
    await apply(campaign('completed'));
    await ready('ocamp/globex-spring');
    expect(await status()).to.equal('completed');
  });

  it('a graph that kubectl breaks is told to both, the tool leaves it to kubectl, and kubectl mends it', async () => {
    const broken = workflow('new') as { spec: { graph: { nodes: object[] } } };
    broken.spec.graph.nodes[2] = { nodeId: 'mark', nodeType: 'bad', label: 'Mark', config: {} };
    await apply(broken);
    await run(['wait', '--for=condition=Stalled', '--timeout=80s', '-n', 'outrider', 'owf/globex-hello']);
    const problem = async (): Promise<Check | undefined> => {
      const input = { target: 'workflow', targetId: 'globex-hello' };
      const { checks } = await globex.call<{ checks: Check[] }>('svc_diagnose', input);
      return checks.find((check) => check.check === 'graph_valid');
    };
    const told = await problem();
    expect([told?.ok, told?.nextTool]).to.deep.equal([false, 'svc_update_workflow']);
    const graph = { nodes: [{ nodeType: 'network:profile_view' }], edges: [] };
    expect(await globex.refusal('svc_update_workflow', { workflowId: 'globex-hello', graph })).to.contain('kubectl');
    await apply(workflow('new'));
    await ready('owf/globex-hello');
    expect((await problem())?.ok).to.equal(true);
  });

  it('a Workspace in a file: names, hours and settings show in the tools, suspension stops and restores', async () => {
    const file = (operatingMode: string): object =>
      object('Workspace', 'globex', {
        displayName: 'Globex Ltd',
        owner: 'owner@globex.example',
        timezone: 'Europe/Berlin',
        operatingMode,
        settings: { website: 'https://globex.example', retentionDays: 90 },
      });
    const read = async (): Promise<{ name: string; status: string; timezone: string; settings: object }> =>
      (await globex.call<{ workspace: Awaited<ReturnType<typeof read>> }>('svc_get_workspace')).workspace;
    await apply(file('Suspended'));
    await eventually('the tools see the file', async () => (await read()).status === 'suspended');
    const shown = await read();
    expect(shown).to.include({ name: 'Globex Ltd', timezone: 'Europe/Berlin' });
    expect(shown.settings).to.include({ website: 'https://globex.example', retentionDays: 90 });
    const { nextTool } = await globex.call<{ nextTool: string }>('svc_diagnose', { target: 'workspace' });
    expect(nextTool).to.equal('svc_admin_update_workspace');
    expect(await globex.refusal('svc_update_workspace', { timezone: 'UTC' })).to.contain('kubectl');
    await apply(file('Running'));
    await eventually('it runs again', async () => (await read()).status === 'active');
  });

  it('a campaign of a file moves to another quarter: by a file of its own, and by duplicate', async () => {
    await apply(
      object('Campaign', 'globex-summer', { workspaceRef: { name: 'globex' }, title: 'Summer', scoreMin: 70 }),
    );
    await ready('ocamp/globex-summer');
    const copy = await globex.call<{ campaignId: string }>('svc_duplicate_campaign', {
      campaignId: 'globex-spring',
      title: 'Autumn',
    });
    const { campaigns } = await globex.call<{ campaigns: { campaignId: string; title: string; status: string }[] }>(
      'svc_list_campaigns',
      {},
    );
    expect(campaigns.map((one) => [one.title, one.status])).to.have.deep.members([
      ['Spring', 'completed'],
      ['Summer', 'draft'],
      ['Autumn', 'draft'],
    ]);
    // The copy is the tools' own, and kubectl sees it with its workflow.
    expect(await field(`ocamp/${copy.campaignId}`, '.spec.scoreMin')).to.equal('70');
    const names = await run(['get', 'owf', '-n', 'outrider', '-o', 'jsonpath={.items[*].spec.campaignRef.name}']);
    expect(names.split(' ')).to.include.members(['globex-spring', copy.campaignId]);
  });

  it('an agency in files: three Workspaces share an account and, where one says so, its exclusions', async () => {
    const clients = ['north-a', 'north-b', 'north-c'];
    const file = (name: string, settings: object): object =>
      object('Workspace', name, {
        displayName: name,
        owner: `owner@${name}.example`,
        agencyId: 'north',
        settings,
      });
    await apply(...clients.map((name) => file(name, {})));
    await ready(...clients.map((name) => `ows/${name}`));
    await connectAccount(await platformAdmin(tools), clients);
    const [a, b] = await Promise.all(clients.map((workspace) => tools.as({ workspace })));
    if (!a || !b) throw new Error('not made');
    for (const user of [a, b])
      await user.call('svc_import_leads_csv', {
        csv: 'Name,Profile URL\nLou Lost,https://www.linkedin.com/in/lou-lost\n',
      });
    const [lost] = await searchAll(a, { query: 'lou' });
    await a.call('svc_erase_lead', { leadId: lost?.leadId, reason: 'data_subject_request' });
    expect(await searchAll(b, { query: 'lou' })).to.have.length(1);
    await apply(file('north-a', { shareSuppressionWithAgency: true }));
    await eventually('it holds in the agency', async () => (await searchAll(b, { query: 'lou' })).length === 0);
    await apply(file('north-a', { shareSuppressionWithAgency: false }));
    await eventually('and no longer', async () => (await searchAll(b, { query: 'lou' })).length === 1);
    // The tools may not change what a file owns.
    const owner = await a.refusal('svc_update_workspace', { shareSuppressionWithAgency: true });
    expect(owner).to.contain('kubectl');
  });

  it('a workflow that kubectl deletes is gone for the tools too', async () => {
    await run(['delete', 'owf/globex-hello', '-n', 'outrider', '--timeout=80s']);
    expect(await globex.refusal('svc_get_workflow', { workflowId: 'globex-hello' })).to.equal(
      'Workflow "globex-hello" was not found. Call svc_list_workflows to find valid IDs.',
    );
    const { workflows } = await globex.call<{ workflows: { workflowId: string }[] }>('svc_list_workflows', {});
    expect(workflows.map((one) => one.workflowId)).to.not.include('globex-hello');
  });
});
