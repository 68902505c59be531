import { expect } from 'chai';
import { stringify } from 'yaml';
import { Database } from '../../../pkg/postgres/database.ts';
import { kubectl } from '../../tools/kubectl.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';
import { FakeNetwork } from '../engine/fake-network.ts';
import { type EngineHandle, openEngine } from '../engine/harness.ts';
import { MONDAY } from '../tools/mcp-stage.ts';

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

  it('what kubectl applies is there for the tools', async () => {
    await apply(
      object('Workspace', 'globex', { displayName: 'Globex', owner: 'owner@globex.example' }),
      campaign('active'),
      workflow('old'),
    );
    await ready('ows/globex', 'ocamp/globex-spring', 'owf/globex-hello');
    globex = await tools.as({ workspace: 'globex' });
    await tools.account('globex');
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
    const rows = Array.from({ length: PEOPLE }, (_, n) => `Lead${n},Test,lead${n}@globex.example`);
    await globex.call('svc_import_leads_csv', { csv: `First name,Last name,Email\n${rows.join('\n')}\n` });
    const found = await tools.rows<{ id: string }>(`select id from lead where workspace_id = 'globex'`);
    const started = await globex.call<{ skipped: object[] }>('svc_trigger_workflow', {
      workflowId: 'globex-hello',
      leadIds: found.map((row) => row.id),
    });
    expect(started.skipped).to.deep.equal([]);
    const { clock, db: app } = tools.cluster;
    handle = await openEngine({ app, executor, clock }, 'globex', new FakeNetwork());
    await handle.quiet();
    await apply(workflow('new', { enabled: true, inFlight: 'migrate' }));
    await ready('owf/globex-hello');
    expect(await field('owf/globex-hello', '.status.graphVersion')).to.equal('2');
    clock.at = clock.now() + DAY;
    await handle.quiet();
    handle.deps.claim.stop();
    const tagged = await tools.rows<{ tags: string[] }>(`select tags from lead_overlay where workspace_id = 'globex'`);
    expect(tagged.length).to.equal(PEOPLE);
    expect(new Set(tagged.flatMap((row) => row.tags))).to.deep.equal(new Set(['new']));
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

  it('a workflow that kubectl deletes is gone for the tools too', async () => {
    await run(['delete', 'owf/globex-hello', '-n', 'outrider', '--timeout=80s']);
    expect(await globex.refusal('svc_get_workflow', { workflowId: 'globex-hello' })).to.equal(
      'Workflow "globex-hello" was not found. Call svc_list_workflows to find valid IDs.',
    );
    expect(await globex.call('svc_list_workflows', {})).to.deep.include({ workflows: [] });
  });
});
