import { expect } from 'chai';
import { type McpStage, missing, NOBODY, startMcpStage } from '../mcp-stage.ts';
import { SPEC_GRAPH } from '../workflow-stage.ts';

interface Workflow {
  workflowId: string;
  campaignId: string;
  name: string;
  enabled: boolean;
  graphVersion: number;
  nodeCount: number;
  networkAccountIds: string[];
  graph: { nodes: { nodeId: string; nodeType: string; config: object }[]; edges: object[] };
}
interface Page {
  workflows: Workflow[];
  nextCursor: string | null;
}

const HOUR = { waitType: 'duration', durationMs: 3_600_000 };
const NO_CAMPAIGN = missing('Campaign', NOBODY, 'svc_list_campaigns');

describe('tools: workflows, by an MCP client', () => {
  let stage: McpStage;

  before(async function () {
    this.timeout(60_000);
    stage = await startMcpStage(6);
  });
  after(() => stage.tools.stop());

  const read = async (workflowId: string): Promise<Workflow> =>
    (await stage.acme.call<{ workflow: Workflow }>('svc_get_workflow', { workflowId })).workflow;
  const missingWorkflow = async (name: string, more: object = {}): Promise<void> => {
    const mine = await stage.workflow();
    for (const [user, workflowId] of [
      [stage.acme, NOBODY],
      [stage.rival, mine],
    ] as const) {
      const text = missing('Workflow', workflowId, 'svc_list_workflows');
      expect(await user.refusal(name, { workflowId, ...more })).to.equal(text);
    }
  };
  const enable = (workflowId: string, enabled = true): Promise<{ enabled: boolean; warnings: string[] }> =>
    stage.acme.call('svc_update_workflow_status', { workflowId, enabled });
  /** Graphs that break one rule each. */
  const BAD: readonly (readonly [string, object, RegExp])[] = [
    ['an unknown node type', { nodes: [{ nodeType: 'no:such' }], edges: [] }, /unknown nodeType "no:such"/],
    [
      'a bad config',
      { nodes: [{ nodeType: 'flow:wait', config: { waitType: 'never' } }], edges: [] },
      /config\.waitType/,
    ],
    [
      'an index out of range',
      { ...SPEC_GRAPH, edges: [{ sourceIndex: 0, targetIndex: 9 }] },
      /targetIndex 9 is out of range/,
    ],
    [
      'an unknown branch',
      { ...SPEC_GRAPH, edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'x' }] },
      /unknown branch "x"/,
    ],
    ['a cycle', { ...SPEC_GRAPH, edges: [...SPEC_GRAPH.edges, { sourceIndex: 2, targetIndex: 0 }] }, /no cycles/],
    ['an unreachable node', { ...SPEC_GRAPH, edges: [SPEC_GRAPH.edges[0]] }, /cannot be reached/],
    ['a source that feeds nobody', { nodes: [{ nodeType: 'source:manual' }], edges: [] }, /feeds nobody/],
  ];

  describe('svc_create_workflow', () => {
    it("takes the specification's own example as a disabled resource; the hidden entry node is counted", async () => {
      const made = await stage.acme.call<{ workflowId: string; nodeCount: number }>('svc_create_workflow', {
        campaignId: stage.campaignId,
        name: 'First',
        graph: SPEC_GRAPH,
      });
      expect(made.nodeCount).to.equal(4);
      const object = await stage.tools.cluster.object(`workflows/outrider/${made.workflowId}`);
      expect(object?.spec).to.deep.include({ name: 'First', enabled: false });
      expect(await read(made.workflowId)).to.deep.include({ enabled: false, graphVersion: 1, nodeCount: 4 });
    });

    for (const [what, graph, cause] of BAD) {
      it(`refuses ${what}, and stores nothing`, async () => {
        const before = await stage.tools.cluster.list('workflows');
        const input = { campaignId: stage.campaignId, name: 'Bad', graph };
        const text = await stage.acme.refusal('svc_create_workflow', input);
        expect(text)
          .to.match(/^Invalid input: graph/)
          .and.match(cause)
          .and.match(/Call svc_get_workflow_node_types/);
        expect(await stage.tools.cluster.list('workflows')).to.have.length(before.length);
      });
    }

    it('refuses a missing and a foreign campaign alike', async () => {
      const input = { name: 'x', graph: SPEC_GRAPH };
      expect(await stage.acme.refusal('svc_create_workflow', { ...input, campaignId: NOBODY })).to.equal(NO_CAMPAIGN);
      expect(await stage.rival.refusal('svc_create_workflow', { ...input, campaignId: stage.campaignId })).to.equal(
        missing('Campaign', stage.campaignId, 'svc_list_campaigns'),
      );
    });
  });

  describe('svc_list_workflows', () => {
    it('pages newest first, each once; narrows by campaign and by the enabled flag', async () => {
      const { campaignId } = await stage.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Listed' });
      const made: string[] = [];
      for (const name of ['One', 'Two', 'Three']) {
        const input = { campaignId, name, graph: SPEC_GRAPH };
        made.push((await stage.acme.call<Workflow>('svc_create_workflow', input)).workflowId);
      }
      await enable(made[1] ?? '');
      const seen: string[] = [];
      for (let cursor: string | null = null; ; ) {
        const page: Page = await stage.acme.call('svc_list_workflows', {
          campaignId,
          limit: 2,
          ...(cursor ? { cursor } : {}),
        });
        seen.push(...page.workflows.map((one) => one.workflowId));
        cursor = page.nextCursor;
        if (cursor === null) break;
      }
      expect(seen.toSorted()).to.deep.equal(made.toSorted());
      const on = await stage.acme.call<Page>('svc_list_workflows', { campaignId, enabled: true });
      expect(on.workflows.map((one) => one.name)).to.deep.equal(['Two']);
    });

    it('refuses a missing campaign, and shows nothing of another workspace', async () => {
      expect(await stage.acme.refusal('svc_list_workflows', { campaignId: NOBODY })).to.equal(NO_CAMPAIGN);
      expect((await stage.rival.call<Page>('svc_list_workflows')).workflows).to.deep.equal([]);
    });
  });

  describe('svc_get_workflow', () => {
    it('reads every version of the graph', async () => {
      const workflowId = await stage.workflow();
      await stage.acme.call('svc_update_workflow_node', { workflowId, nodeId: 'wait', config: HOUR });
      const old = await stage.acme.call<{ workflow: Workflow }>('svc_get_workflow', { workflowId, graphVersion: 1 });
      expect(old.workflow.graph.nodes[1]?.config).to.deep.equal(SPEC_GRAPH.nodes[1]?.config);
      expect((await read(workflowId)).graph.nodes[1]?.config).to.deep.equal(HOUR);
      expect(await stage.acme.refusal('svc_get_workflow', { workflowId, graphVersion: 3 })).to.equal(
        'Invalid input: graphVersion: this workflow has versions 1 to 2',
      );
    });

    it('answers a missing and a foreign workflow alike', () => missingWorkflow('svc_get_workflow'));
  });

  describe('svc_update_workflow', () => {
    const wait = (durationMs: number): object => ({
      ...SPEC_GRAPH,
      nodes: SPEC_GRAPH.nodes.map((node) =>
        node.nodeType === 'flow:wait' ? { ...node, config: { waitType: 'duration', durationMs } } : node,
      ),
    });

    it('a name or senders alone make no new version; a graph does, and its nodes keep their ids', async () => {
      const workflowId = await stage.workflow();
      const senders = { name: 'Renamed', networkAccountIds: [stage.accountId] };
      await stage.acme.call('svc_update_workflow', { workflowId, ...senders });
      const before = await read(workflowId);
      expect(before).to.deep.include({ ...senders, graphVersion: 1 });
      const answer = await stage.acme.call('svc_update_workflow', { workflowId, graph: wait(5_000) });
      expect(answer).to.deep.equal({ workflowId, graphVersion: 2, nodeCount: 4, runsMigrated: 0 });
      const ids = (workflow: Workflow): string[] => workflow.graph.nodes.map((node) => node.nodeId);
      expect(ids(await read(workflowId))).to.deep.equal(ids(before));
    });

    it('leads in flight finish on the old version, or migrate when told so', async () => {
      const workflowId = await stage.workflow();
      await stage.started(workflowId, stage.leads.slice(0, 2));
      const kept = await stage.acme.call('svc_update_workflow', { workflowId, graph: wait(6_000) });
      expect(kept).to.deep.include({ runsMigrated: 0 });
      const moved = await stage.acme.call('svc_update_workflow', {
        workflowId,
        graph: wait(7_000),
        inFlight: 'migrate',
      });
      expect(moved).to.deep.include({ runsMigrated: 2, graphVersion: 3 });
    });

    it('refuses a graph that breaks a rule, and the version that was moved on from', async () => {
      const workflowId = await stage.workflow();
      for (const [what, graph, cause] of BAD) {
        const text = await stage.acme.refusal('svc_update_workflow', { workflowId, graph });
        expect(text, what)
          .to.match(cause)
          .and.match(/Call svc_get_workflow_node_types/);
      }
      const change = { workflowId, graph: wait(8_000), expectedGraphVersion: 2 };
      expect(await stage.acme.refusal('svc_update_workflow', change)).to.equal(
        'The graph is at version 1, not 2. Call svc_get_workflow.',
      );
      expect((await read(workflowId)).graphVersion).to.equal(1);
    });

    it('refuses an account that is missing or not linked', async () => {
      const workflowId = await stage.workflow();
      const theirs = await stage.tools.account('rival');
      for (const id of [NOBODY, theirs]) {
        expect(await stage.acme.refusal('svc_update_workflow', { workflowId, networkAccountIds: [id] })).to.equal(
          missing('Network account', id, 'svc_list_network_accounts'),
        );
      }
      expect(await stage.acme.refusal('svc_update_workflow', { workflowId, providerAccountIds: ['none'] })).to.match(
        /"none" was not found/,
      );
    });

    it('a mailbox is named among the provider accounts and nowhere else', async () => {
      const workflowId = await stage.workflow();
      await stage.tools.rows(
        `with a as (insert into network_account (id, kind, provider, external_id, status_since, created_at)
           values ('box-1', 'mail', 'sandbox', 'box-1@acme.example', 1, 1) returning id)
         insert into account_link (account_id, workspace_id, linked_at) select 'box-1', $1, 1`,
        ['acme'],
      );
      await stage.acme.call('svc_update_workflow', { workflowId, providerAccountIds: ['box-1'] });
      expect(await stage.acme.refusal('svc_update_workflow', { workflowId, networkAccountIds: ['box-1'] })).to.equal(
        missing('Network account', 'box-1', 'svc_list_network_accounts'),
      );
      const { networkAccounts } = await stage.acme.call<{ networkAccounts: { networkAccountId: string }[] }>(
        'svc_list_network_accounts',
        {},
      );
      expect(networkAccounts.map((one) => one.networkAccountId)).to.not.include('box-1');
    });

    it('answers a missing and a foreign workflow alike', () => missingWorkflow('svc_update_workflow', { name: 'x' }));
  });

  describe('svc_delete_workflow', () => {
    it('takes resource and row away, and stops the leads that are under way', async () => {
      const workflowId = await stage.workflow();
      const [runId] = await stage.started(workflowId, stage.leads.slice(2, 4));
      await enable(workflowId, false);
      expect(await stage.acme.call('svc_delete_workflow', { workflowId })).to.deep.equal({
        workflowId,
        deleted: true,
        cancelledRuns: 2,
      });
      // Nobody runs an operator here, which lets it go: see "operator: deletions".
      expect(
        (await stage.tools.cluster.object(`workflows/outrider/${workflowId}`))?.metadata.deletionTimestamp,
      ).to.be.a('string');
      expect(await stage.acme.refusal('svc_get_workflow', { workflowId })).to.equal(
        missing('Workflow', workflowId, 'svc_list_workflows'),
      );
      const { run } = await stage.acme.call<{ run: { state: string } }>('svc_get_workflow_run', { runId });
      expect(run.state).to.equal('stopped');
    });

    it('keeps the proof of contact: what was sent stays in the ledger', async () => {
      const workflowId = await stage.workflow();
      const [runId] = await stage.started(workflowId, stage.leads.slice(4, 5));
      await stage.tools.rows(
        `insert into send (id, workspace_id, run_id, workflow_id, campaign_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at)
         select gen_random_uuid(), workspace_id, id, workflow_id, campaign_id, 'view', lead_id, person_id, $2, 'profile_view', 'confirmed', 1, 1 from run where id = $1`,
        [runId, stage.accountId],
      );
      await enable(workflowId, false);
      await stage.acme.call('svc_delete_workflow', { workflowId });
      expect(await stage.tools.rows('select 1 from send where workflow_id = $1', [workflowId])).to.have.length(1);
    });

    it('refuses one that is enabled', async () => {
      const workflowId = await stage.workflow();
      await enable(workflowId);
      expect(await stage.acme.refusal('svc_delete_workflow', { workflowId })).to.equal(
        'The workflow is enabled; disable it first. Call svc_update_workflow_status.',
      );
    });

    it('answers a missing and a foreign workflow alike', () => missingWorkflow('svc_delete_workflow'));
  });

  describe('svc_duplicate_workflow', () => {
    it('copies the latest graph and the senders into a disabled one', async () => {
      const source = await stage.workflow();
      await stage.acme.call('svc_update_workflow', { workflowId: source, networkAccountIds: [stage.accountId] });
      await stage.acme.call('svc_update_workflow_node', { workflowId: source, nodeId: 'wait', config: HOUR });
      await enable(source);
      const made = await stage.acme.call<{ workflowId: string; nodeCount: number }>('svc_duplicate_workflow', {
        workflowId: source,
      });
      expect(made.nodeCount).to.equal(4);
      const [original, copy] = [await read(source), await read(made.workflowId)];
      expect(copy).to.deep.include({ name: 'Hello (copy)', enabled: false, graphVersion: 1 });
      expect(copy.graph).to.deep.equal(original.graph);
      expect(copy.networkAccountIds).to.deep.equal([stage.accountId]);
    });

    it('goes to another campaign of the workspace under a name of its own', async () => {
      const { campaignId } = await stage.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Next' });
      const input = { workflowId: await stage.workflow(), campaignId, name: 'Moved' };
      const made = await stage.acme.call<{ workflowId: string }>('svc_duplicate_workflow', input);
      expect(await read(made.workflowId)).to.deep.include({ campaignId, name: 'Moved' });
    });

    it('refuses a campaign that is missing or of another workspace, also for a user of both', async () => {
      const workflowId = await stage.workflow();
      const theirs = await stage.rival.call<{ campaignId: string }>('svc_create_campaign', { title: 'Theirs' });
      const both = await stage.tools.as({ memberOf: ['acme', 'rival'] });
      for (const campaignId of [NOBODY, theirs.campaignId]) {
        expect(await both.refusal('svc_duplicate_workflow', { workflowId, campaignId })).to.equal(
          missing('Campaign', campaignId, 'svc_list_campaigns'),
        );
      }
    });

    it('answers a missing and a foreign workflow alike', () => missingWorkflow('svc_duplicate_workflow'));
  });

  describe('svc_update_workflow_status', () => {
    it('true activates a draft campaign and says so; false is in force at once by a hold', async () => {
      const { campaignId } = await stage.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Draft' });
      const input = { campaignId, name: 'Switch', graph: SPEC_GRAPH };
      const { workflowId } = await stage.acme.call<Workflow>('svc_create_workflow', input);
      expect((await enable(workflowId)).warnings.join(' ')).to.match(/draft campaign was activated.*All 1 healthy/);
      const { campaign } = await stage.acme.call<{ campaign: { status: string } }>('svc_get_campaign', { campaignId });
      expect(campaign.status).to.equal('active');
      const held = (): Promise<unknown[]> => stage.tools.rows('select 1 from hold where id = $1', [workflowId]);
      await enable(workflowId, false);
      expect([(await read(workflowId)).enabled, (await held()).length]).to.deep.equal([false, 1]);
      await enable(workflowId);
      expect([(await read(workflowId)).enabled, (await held()).length]).to.deep.equal([true, 0]);
    });

    it('a graph that only writes mails needs a healthy mailbox, and no other account stands in for one', async () => {
      const { campaignId } = await stage.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'By mail' });
      const mail = {
        nodeType: 'mail:send',
        label: 'Mail',
        config: { subject: 'Hello', textMode: 'static', text: 'Hi' },
      };
      const graph = {
        nodes: [{ nodeType: 'source:manual', label: 'By hand', config: {} }, mail],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      const { workflowId } = await stage.acme.call<Workflow>('svc_create_workflow', {
        campaignId,
        name: 'Mail',
        graph,
      });
      const pause = (paused: boolean): Promise<unknown[]> =>
        stage.tools.rows(`update network_account set paused = $1 where id = 'box-1'`, [paused]);
      await pause(true);
      expect(await stage.acme.refusal('svc_update_workflow_status', { workflowId, enabled: true })).to.match(
        /^No healthy mailbox is linked to the workspace\./,
      );
      await pause(false);
      expect((await enable(workflowId)).warnings.join(' ')).to.match(/All 1 healthy/);
    });

    it('a calendar among the senders of mails names no mailbox: all of them mail', async () => {
      const { campaignId } = await stage.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Slots' });
      const mail = { nodeType: 'mail:send', label: 'Mail', config: { subject: 'Hello', text: 'Hi' } };
      const graph = { nodes: [{ nodeType: 'source:manual' }, mail], edges: [{ sourceIndex: 0, targetIndex: 1 }] };
      const input = { campaignId, name: 'Slots', graph };
      const { workflowId } = await stage.acme.call<Workflow>('svc_create_workflow', input);
      await stage.tools.rows(
        `insert into calendar_account (id, workspace_id, url, created_at) values ('cal-1', 'acme', 'https://cal.example', 1)`,
      );
      await stage.acme.call('svc_update_workflow', { workflowId, providerAccountIds: ['cal-1'] });
      expect((await enable(workflowId)).enabled).to.equal(true);
    });

    it('says that mail steps wait where only the network has somebody who can act', async () => {
      const { campaignId } = await stage.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Both' });
      const mail = { nodeType: 'mail:send', label: 'Mail', config: { subject: 'Hello', text: 'Hi' } };
      const nodes = [{ nodeType: 'source:manual' }, { nodeType: 'network:profile_view', label: 'Look' }, mail];
      const edges = [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
      ];
      const input = { campaignId, name: 'Both', graph: { nodes, edges } };
      const { workflowId } = await stage.acme.call<Workflow>('svc_create_workflow', input);
      expect((await enable(workflowId)).warnings.join(' ')).to.not.match(/mailbox/);
      await stage.tools.rows(`update network_account set paused = true where id = 'box-1'`);
      expect((await enable(workflowId)).warnings.join(' ')).to.match(/No healthy mailbox .* leads wait there/);
      await stage.tools.rows(`update network_account set paused = false where id = 'box-1'`);
    });

    it('refuses without a healthy account, in a stopped campaign, and with a graph that is not valid any more', async () => {
      const { campaignId } = await stage.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Stopped' });
      const input = { campaignId, name: 'Off', graph: SPEC_GRAPH };
      const { workflowId } = await stage.acme.call<Workflow>('svc_create_workflow', input);
      const refusal = (): Promise<string> =>
        stage.acme.refusal('svc_update_workflow_status', { workflowId, enabled: true });
      await stage.tools.rows(`update network_account set status = 'restricted' where id = $1`, [stage.accountId]);
      expect(await refusal()).to.equal(
        'No healthy network account is linked to the workspace. Call svc_list_network_accounts.',
      );
      await stage.tools.rows(`update network_account set status = 'ok' where id = $1`, [stage.accountId]);
      for (const status of ['active', 'paused']) await stage.acme.call('svc_update_campaign', { campaignId, status });
      expect(await refusal()).to.equal('The campaign is paused; set it to active first. Call svc_update_campaign.');
      await stage.tools.rows(`update workflow set graph_problem = 'InvalidGraph: a node is gone.' where id = $1`, [
        workflowId,
      ]);
      expect(await refusal()).to.match(
        /^The graph can't run: InvalidGraph: a node is gone\. Call svc_validate_workflow\.$/,
      );
    });

    it('answers a missing and a foreign workflow alike', () =>
      missingWorkflow('svc_update_workflow_status', { enabled: true }));
  });

  describe('svc_validate_workflow', () => {
    it('warns of steps that nobody sends, and of leads that a step can not find', async () => {
      const { campaignId } = await stage.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Reach' });
      const rows = ['Per,Profile,,https://www.linkedin.com/in/per-profile', 'Mia,Mail,mia@reach.example,'];
      const csv = `First name,Last name,Email,LinkedIn\n${rows.join('\n')}\n`;
      const made = { name: 'Reach', campaignId };
      const { leadListId } = await stage.acme.call<{ leadListId: string }>('svc_create_lead_list', made);
      await stage.acme.call('svc_import_leads_csv', { csv, leadListId });
      const look = { nodeType: 'network:profile_view', label: 'Look' };
      const mail = { nodeType: 'mail:send', label: 'Mail', config: { subject: 'Hello', text: 'Hi' } };
      const nodes = [{ nodeType: 'source:lead_list', config: { leadListId } }, look, mail];
      const edges = [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
      ];
      const warned = async (): Promise<[number | null, string, string][]> => {
        const { warnings } = await stage.acme.call<{
          warnings: { nodeIndex: number | null; code: string; message: string }[];
        }>('svc_validate_workflow', { campaignId, graph: { nodes, edges } });
        return warnings.map((one) => [one.nodeIndex, one.code, one.message]);
      };
      const leads = [
        [
          1,
          'no_profile',
          '1 of 2 leads of the campaign that were looked at have no profile address: steps at the network fail for them.',
        ],
        [
          2,
          'no_email',
          '1 of 2 leads of the campaign that were looked at have no mail address: mail steps take the outcome no_email for them.',
        ],
      ];
      expect(await warned()).to.deep.equal(leads);
      await stage.tools.rows(`update network_account set paused = true where id = 'box-1'`);
      expect((await warned()).map(([index, code]) => [index, code])).to.deep.equal([
        [2, 'no_sender'],
        [1, 'no_profile'],
        [2, 'no_email'],
      ]);
      await stage.tools.rows(`update network_account set paused = false where id = 'box-1'`);
    });

    it('forecasts within what the workspace may do a day (dailyActions)', async () => {
      const workflowId = await stage.workflow();
      const forecast = async (): Promise<number[]> => {
        const answer = await stage.acme.call<{
          forecast: { perDay: { actionsByKind: Record<string, number> }[] };
        }>('svc_validate_workflow', { workflowId, simulateLeads: 50, horizonDays: 10 });
        return answer.forecast.perDay.map((day) => day.actionsByKind['profile_view'] ?? 0);
      };
      const [linked] = await stage.tools.force<{ accounts: number }>(
        `select count(*)::int as accounts from account_link where workspace_id = 'acme'`,
      );
      const most = linked?.accounts ?? 0;
      expect(Math.max(...(await forecast()))).to.be.greaterThan(most);
      await stage.tools.force(
        `update outrider.workspace set limits = '{"dailyActions": {"profile_view": 1}}' where id = 'acme'`,
      );
      expect(Math.max(...(await forecast())), 'one a day of each account').to.equal(most);
      await stage.tools.force(`update outrider.workspace set limits = '{}' where id = 'acme'`);
    });

    it('forecasts under the real budgets and renders for one lead; stores nothing', async () => {
      const workflowId = await stage.workflow();
      const answer = await stage.acme.call<{
        valid: boolean;
        forecast: { perDay: { actionsByKind: Record<string, number> }[] };
        renderedSamples: { text: string }[];
      }>('svc_validate_workflow', { workflowId, simulateLeads: 50, horizonDays: 20, sampleLeadId: stage.leads[0] });
      expect(answer.valid).to.equal(true);
      const views = answer.forecast.perDay.reduce((sum, day) => sum + (day.actionsByKind['profile_view'] ?? 0), 0);
      expect(views).to.be.within(1, 50);
      expect(answer.renderedSamples.map((sample) => sample.text)).to.include('Hi Lead0000 of Firm 0000');
      expect((await read(workflowId)).graphVersion).to.equal(1);
    });

    interface Judged {
      warnings: { code: string; message: string }[];
      forecast: { perDay: { date: string; actionsByKind: Record<string, number> }[]; finishesOn: string | null };
    }
    const MESSAGE = { nodeType: 'network:message', config: { textMode: 'static', text: 'Hello' } };
    const judged = (campaignId: string, nodes: object[], simulateLeads = 8): Promise<Judged> => {
      const all = [{ nodeType: 'source:manual' }, ...nodes];
      const graph = { nodes: all, edges: nodes.map((_, index) => ({ sourceIndex: index, targetIndex: index + 1 })) };
      return stage.acme.call('svc_validate_workflow', { campaignId, graph, simulateLeads, horizonDays: 20 });
    };
    const newCampaign = async (title: string): Promise<string> =>
      (await stage.acme.call<{ campaignId: string }>('svc_create_campaign', { title })).campaignId;
    const daysOf = ({ forecast }: Judged, kind: string): Record<string, number> =>
      Object.fromEntries(
        forecast.perDay.filter((day) => day.actionsByKind[kind]).map((day) => [day.date, day.actionsByKind[kind] ?? 0]),
      );

    it('forecasts by the hours in force and the days between two touches of the campaign', async () => {
      const campaignId = await newCampaign('Policy');
      const graph = [MESSAGE, { nodeType: 'flow:wait', config: HOUR }, MESSAGE];
      expect(daysOf(await judged(campaignId, graph, 4), 'message')).to.deep.equal({ '2026-03-02': 4, '2026-03-04': 4 });
      // The workspace's hours are those of a campaign without hours of its own.
      await stage.acme.call('svc_update_workspace', { businessHours: { days: [4], timezoneMode: 'account' } });
      expect(Object.keys(daysOf(await judged(campaignId, [MESSAGE]), 'message'))).to.deep.equal(['2026-03-05']);
      await stage.acme.call('svc_update_workspace', { businessHours: { days: [1, 2, 3, 4, 5], timezoneMode: 'lead' } });
    });

    it('leaves to other workspaces of an account their shares', async () => {
      const campaignId = await newCampaign('Shared');
      const onFirstDay = async (): Promise<number> =>
        Object.values(daysOf(await judged(campaignId, [{ nodeType: 'network:follow' }], 60), 'follow'))[0] ?? 0;
      // Others would take over.
      await stage.tools.force('update network_account set paused = true where id <> $1', [stage.accountId]);
      const before = await onFirstDay();
      await stage.tools.force(
        `insert into account_link (account_id, workspace_id, linked_at, share) select account_id, 'rival', 1, 0.6 from account_link where workspace_id = 'acme'`,
      );
      expect(await onFirstDay()).to.equal(before - Math.floor(before * 0.6));
      await stage.tools.force(`delete from account_link where workspace_id = 'rival' and share = 0.6`);
      await stage.tools.force('update network_account set paused = false');
    });

    it('reckons with accounts of each kind, and says when more would send than it reckons with', async () => {
      const campaignId = await newCampaign('Crowd');
      const linked = `insert into account_link (account_id, workspace_id, linked_at) select id, 'acme', 1 from network_account where id like '%-crowd%'`;
      await stage.tools.force(
        `insert into network_account (id, external_id, display_name, status_since, created_at) select 'a-crowd' || g, 'a-crowd' || g, 'A', 1, 1 from generate_series(1, 120) g`,
      );
      await stage.tools.force(
        `insert into network_account (id, external_id, display_name, kind, status_since, created_at) values ('z-crowd', 'z-crowd', 'Z', 'mail', 1, 1)`,
      );
      await stage.tools.force(
        `insert into mailbox (account_id, address, smtp_host, smtp_port, smtp_tls, imap_host, imap_port, imap_tls, username, sealed)
         values ('z-crowd', 'z@crowd.example', 'h', 1, 'none', 'h', 1, 'none', 'u', '')`,
      );
      await stage.tools.force(linked);
      const mail = { nodeType: 'mail:send', config: { subject: 'S', text: 'T' } };
      const found = await judged(campaignId, [MESSAGE, mail]);
      expect(Object.keys(daysOf(found, 'mail')), 'days on which mails leave').to.not.have.length(0);
      expect(found.warnings.map((one) => one.code)).to.deep.equal(['accounts_left_out']);
      expect(found.warnings[0]?.message).to.match(/ reckons with 10\d of the 12\d accounts /);
      await stage.tools.force(`delete from account_link where account_id like '%-crowd%'`);
      expect((await judged(campaignId, [MESSAGE])).warnings).to.deep.equal([]);
    });

    it('warns of hours that never meet, also where leads of the campaign live', async () => {
      const campaignId = await newCampaign('Apart');
      const codes = async (): Promise<string[]> =>
        (await judged(campaignId, [MESSAGE])).warnings.map((one) => one.code);
      const hours = (businessHours: object): Promise<unknown> =>
        stage.acme.call('svc_update_campaign', { campaignId, businessHours });
      await hours({ days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18, timezoneMode: 'lead' });
      expect(await codes()).to.deep.equal([]);
      await hours({ days: [6, 7], startHour: 9, endHour: 18, timezoneMode: 'account' });
      expect(await codes()).to.deep.equal(['hours_never_meet']);
      await hours({ days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18, timezoneMode: 'lead' });
      const csv = 'First name,Last name,Company,LinkedIn\nKiwi,Far,Far Ltd,https://www.linkedin.com/in/kiwi-far\n';
      const { leadListId } = await stage.acme.call<{ leadListId: string }>('svc_create_lead_list', {
        name: 'Far',
        campaignId,
      });
      await stage.acme.call('svc_import_leads_csv', { csv });
      const { leads } = await stage.acme.call<{ leads: { leadId: string }[] }>('svc_search_leads', { query: 'Kiwi' });
      await stage.acme.call('svc_add_leads_to_list', { leadListId, leadIds: leads.map((lead) => lead.leadId) });
      await stage.tools.force(`update lead set timezone = 'Pacific/Auckland' where id = $1`, [leads[0]?.leadId]);
      const { warnings } = await judged(campaignId, [MESSAGE]);
      expect(warnings.map((one) => one.code)).to.deep.equal(['hours_never_meet']);
      expect(warnings[0]?.message).to.contain('Pacific/Auckland');
    });

    for (const [what, graph] of BAD) {
      it(`finds ${what}, without refusing`, async () => {
        const input = { campaignId: stage.campaignId, graph, simulateLeads: 5 };
        const answer = await stage.acme.call<{ valid: boolean; errors: object[]; forecast: null }>(
          'svc_validate_workflow',
          input,
        );
        expect(answer).to.deep.include({ valid: false, forecast: null });
        expect(answer.errors).to.not.have.length(0);
      });
    }

    it('wants a stored workflow, or a campaign with a graph, and records that are there', async () => {
      const workflowId = await stage.workflow();
      for (const input of [{}, { workflowId, graph: SPEC_GRAPH }, { campaignId: stage.campaignId }]) {
        expect(await stage.acme.refusal('svc_validate_workflow', input)).to.equal(
          'Invalid input: workflowId: give either workflowId, or campaignId and graph',
        );
      }
      expect(await stage.acme.refusal('svc_validate_workflow', { campaignId: NOBODY, graph: SPEC_GRAPH })).to.equal(
        NO_CAMPAIGN,
      );
      expect(await stage.acme.refusal('svc_validate_workflow', { workflowId, sampleLeadId: NOBODY })).to.equal(
        missing('Lead', NOBODY, 'svc_search_leads'),
      );
      await missingWorkflow('svc_validate_workflow');
    });
  });
});
