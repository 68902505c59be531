import { expect } from 'chai';
import { BAD } from '../../../fixtures/tools/bad-graphs.ts';
import { type McpFixture, missing, NOBODY, startMcpFixture } from '../../../fixtures/tools/mcp-fixture.ts';
import { SPEC_GRAPH } from '../../../fixtures/tools/workflow-fixture.ts';

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
  let fixture: McpFixture;

  before(async function () {
    this.timeout(60_000);
    fixture = await startMcpFixture(6);
  });
  after(() => fixture.tools.stop());

  const read = async (workflowId: string): Promise<Workflow> =>
    (await fixture.acme.call<{ workflow: Workflow }>('svc_get_workflow', { workflowId })).workflow;
  const missingWorkflow = async (name: string, more: object = {}): Promise<void> => {
    const mine = await fixture.workflow();
    for (const [user, workflowId] of [
      [fixture.acme, NOBODY],
      [fixture.rival, mine],
    ] as const) {
      const text = missing('Workflow', workflowId, 'svc_list_workflows');
      expect(await user.refusal(name, { workflowId, ...more })).to.equal(text);
    }
  };
  const enable = (workflowId: string, enabled = true): Promise<{ enabled: boolean; warnings: string[] }> =>
    fixture.acme.call('svc_update_workflow_status', { workflowId, enabled });
  describe('svc_create_workflow', () => {
    it("takes the specification's own example as a disabled resource; the hidden entry node is counted", async () => {
      const made = await fixture.acme.call<{ workflowId: string; nodeCount: number }>('svc_create_workflow', {
        campaignId: fixture.campaignId,
        name: 'First',
        graph: SPEC_GRAPH,
      });
      expect(made.nodeCount).to.equal(4);
      const object = await fixture.tools.cluster.object(`workflows/outrider/${made.workflowId}`);
      expect(object?.spec).to.deep.include({ name: 'First', enabled: false });
      expect(await read(made.workflowId)).to.deep.include({ enabled: false, graphVersion: 1, nodeCount: 4 });
    });

    for (const [what, graph, cause] of BAD) {
      it(`refuses ${what}, and stores nothing`, async () => {
        const before = await fixture.tools.cluster.list('workflows');
        const input = { campaignId: fixture.campaignId, name: 'Bad', graph };
        const text = await fixture.acme.refusal('svc_create_workflow', input);
        expect(text)
          .to.match(/^Invalid input: graph/)
          .and.match(cause)
          .and.match(/Call svc_get_workflow_node_types/);
        expect(await fixture.tools.cluster.list('workflows')).to.have.length(before.length);
      });
    }

    it('refuses a missing and a foreign campaign alike', async () => {
      const input = { name: 'x', graph: SPEC_GRAPH };
      expect(await fixture.acme.refusal('svc_create_workflow', { ...input, campaignId: NOBODY })).to.equal(NO_CAMPAIGN);
      expect(await fixture.rival.refusal('svc_create_workflow', { ...input, campaignId: fixture.campaignId })).to.equal(
        missing('Campaign', fixture.campaignId, 'svc_list_campaigns'),
      );
    });
  });

  describe('svc_list_workflows', () => {
    it('pages newest first, each once; narrows by campaign and by the enabled flag', async () => {
      const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', {
        title: 'Listed',
      });
      const made: string[] = [];
      for (const name of ['One', 'Two', 'Three']) {
        const input = { campaignId, name, graph: SPEC_GRAPH };
        made.push((await fixture.acme.call<Workflow>('svc_create_workflow', input)).workflowId);
      }
      await enable(made[1] ?? '');
      const seen: string[] = [];
      for (let cursor: string | null = null; ; ) {
        const page: Page = await fixture.acme.call('svc_list_workflows', {
          campaignId,
          limit: 2,
          ...(cursor ? { cursor } : {}),
        });
        seen.push(...page.workflows.map((one) => one.workflowId));
        cursor = page.nextCursor;
        if (cursor === null) break;
      }
      expect(seen.toSorted()).to.deep.equal(made.toSorted());
      const on = await fixture.acme.call<Page>('svc_list_workflows', { campaignId, enabled: true });
      expect(on.workflows.map((one) => one.name)).to.deep.equal(['Two']);
    });

    it('refuses a missing campaign, and shows nothing of another workspace', async () => {
      expect(await fixture.acme.refusal('svc_list_workflows', { campaignId: NOBODY })).to.equal(NO_CAMPAIGN);
      expect((await fixture.rival.call<Page>('svc_list_workflows')).workflows).to.deep.equal([]);
    });
  });

  describe('svc_get_workflow', () => {
    it('reads every version of the graph', async () => {
      const workflowId = await fixture.workflow();
      await fixture.acme.call('svc_update_workflow_node', { workflowId, nodeId: 'wait', config: HOUR });
      const old = await fixture.acme.call<{ workflow: Workflow }>('svc_get_workflow', { workflowId, graphVersion: 1 });
      expect(old.workflow.graph.nodes[1]?.config).to.deep.equal(SPEC_GRAPH.nodes[1]?.config);
      expect((await read(workflowId)).graph.nodes[1]?.config).to.deep.equal(HOUR);
      expect(await fixture.acme.refusal('svc_get_workflow', { workflowId, graphVersion: 3 })).to.equal(
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
      const workflowId = await fixture.workflow();
      const senders = { name: 'Renamed', networkAccountIds: [fixture.accountId] };
      await fixture.acme.call('svc_update_workflow', { workflowId, ...senders });
      const before = await read(workflowId);
      expect(before).to.deep.include({ ...senders, graphVersion: 1 });
      const answer = await fixture.acme.call('svc_update_workflow', { workflowId, graph: wait(5_000) });
      expect(answer).to.deep.equal({ workflowId, graphVersion: 2, nodeCount: 4, runsMigrated: 0 });
      const ids = (workflow: Workflow): string[] => workflow.graph.nodes.map((node) => node.nodeId);
      expect(ids(await read(workflowId))).to.deep.equal(ids(before));
    });

    it('leads in flight finish on the old version, or migrate when told so', async () => {
      const workflowId = await fixture.workflow();
      await fixture.started(workflowId, fixture.leads.slice(0, 2));
      const kept = await fixture.acme.call('svc_update_workflow', { workflowId, graph: wait(6_000) });
      expect(kept).to.deep.include({ runsMigrated: 0 });
      const moved = await fixture.acme.call('svc_update_workflow', {
        workflowId,
        graph: wait(7_000),
        inFlight: 'migrate',
      });
      expect(moved).to.deep.include({ runsMigrated: 2, graphVersion: 3 });
    });

    it('refuses a graph that breaks a rule, and the version that was moved on from', async () => {
      const workflowId = await fixture.workflow();
      for (const [what, graph, cause] of BAD) {
        const text = await fixture.acme.refusal('svc_update_workflow', { workflowId, graph });
        expect(text, what)
          .to.match(cause)
          .and.match(/Call svc_get_workflow_node_types/);
      }
      const change = { workflowId, graph: wait(8_000), expectedGraphVersion: 2 };
      expect(await fixture.acme.refusal('svc_update_workflow', change)).to.equal(
        'The graph is at version 1, not 2. Call svc_get_workflow.',
      );
      expect((await read(workflowId)).graphVersion).to.equal(1);
    });

    it('refuses an account that is missing or not linked', async () => {
      const workflowId = await fixture.workflow();
      const theirs = await fixture.tools.account('rival');
      for (const id of [NOBODY, theirs]) {
        expect(await fixture.acme.refusal('svc_update_workflow', { workflowId, networkAccountIds: [id] })).to.equal(
          missing('Network account', id, 'svc_list_network_accounts'),
        );
      }
      expect(await fixture.acme.refusal('svc_update_workflow', { workflowId, providerAccountIds: ['none'] })).to.match(
        /"none" was not found/,
      );
    });

    it('a mailbox is named among the provider accounts and nowhere else', async () => {
      const workflowId = await fixture.workflow();
      await fixture.tools.rows(
        `with a as (insert into network_account (id, kind, provider, external_id, status_since, created_at)
           values ('box-1', 'mail', 'sandbox', 'box-1@acme.example', 1, 1) returning id)
         insert into account_link (account_id, workspace_id, linked_at) select 'box-1', $1, 1`,
        ['acme'],
      );
      await fixture.acme.call('svc_update_workflow', { workflowId, providerAccountIds: ['box-1'] });
      expect(await fixture.acme.refusal('svc_update_workflow', { workflowId, networkAccountIds: ['box-1'] })).to.equal(
        missing('Network account', 'box-1', 'svc_list_network_accounts'),
      );
      const { networkAccounts } = await fixture.acme.call<{ networkAccounts: { networkAccountId: string }[] }>(
        'svc_list_network_accounts',
        {},
      );
      expect(networkAccounts.map((one) => one.networkAccountId)).to.not.include('box-1');
    });

    it('answers a missing and a foreign workflow alike', () => missingWorkflow('svc_update_workflow', { name: 'x' }));
  });

  describe('svc_delete_workflow', () => {
    it('takes resource and row away, and stops the leads that are under way', async () => {
      const workflowId = await fixture.workflow();
      const [runId] = await fixture.started(workflowId, fixture.leads.slice(2, 4));
      await enable(workflowId, false);
      expect(await fixture.acme.call('svc_delete_workflow', { workflowId })).to.deep.equal({
        workflowId,
        deleted: true,
        cancelledRuns: 2,
      });
      // Nobody runs an operator here, which lets it go: see "operator: deletions".
      expect(
        (await fixture.tools.cluster.object(`workflows/outrider/${workflowId}`))?.metadata.deletionTimestamp,
      ).to.be.a('string');
      expect(await fixture.acme.refusal('svc_get_workflow', { workflowId })).to.equal(
        missing('Workflow', workflowId, 'svc_list_workflows'),
      );
      const { run } = await fixture.acme.call<{ run: { state: string } }>('svc_get_workflow_run', { runId });
      expect(run.state).to.equal('stopped');
    });

    it('keeps the proof of contact: what was sent stays in the ledger', async () => {
      const workflowId = await fixture.workflow();
      const [runId] = await fixture.started(workflowId, fixture.leads.slice(4, 5));
      await fixture.tools.rows(
        `insert into send (id, workspace_id, run_id, workflow_id, campaign_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at)
         select gen_random_uuid(), workspace_id, id, workflow_id, campaign_id, 'view', lead_id, person_id, $2, 'profile_view', 'confirmed', 1, 1 from run where id = $1`,
        [runId, fixture.accountId],
      );
      await enable(workflowId, false);
      await fixture.acme.call('svc_delete_workflow', { workflowId });
      expect(await fixture.tools.rows('select 1 from send where workflow_id = $1', [workflowId])).to.have.length(1);
    });

    it('refuses one that is enabled', async () => {
      const workflowId = await fixture.workflow();
      await enable(workflowId);
      expect(await fixture.acme.refusal('svc_delete_workflow', { workflowId })).to.equal(
        'The workflow is enabled; disable it first. Call svc_update_workflow_status.',
      );
    });

    it('answers a missing and a foreign workflow alike', () => missingWorkflow('svc_delete_workflow'));
  });

  describe('svc_duplicate_workflow', () => {
    it('copies the latest graph and the senders into a disabled one', async () => {
      const source = await fixture.workflow();
      await fixture.acme.call('svc_update_workflow', { workflowId: source, networkAccountIds: [fixture.accountId] });
      await fixture.acme.call('svc_update_workflow_node', { workflowId: source, nodeId: 'wait', config: HOUR });
      await enable(source);
      const made = await fixture.acme.call<{ workflowId: string; nodeCount: number }>('svc_duplicate_workflow', {
        workflowId: source,
      });
      expect(made.nodeCount).to.equal(4);
      const [original, copy] = [await read(source), await read(made.workflowId)];
      expect(copy).to.deep.include({ name: 'Hello (copy)', enabled: false, graphVersion: 1 });
      expect(copy.graph).to.deep.equal(original.graph);
      expect(copy.networkAccountIds).to.deep.equal([fixture.accountId]);
    });

    it('goes to another campaign of the workspace under a name of its own', async () => {
      const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Next' });
      const input = { workflowId: await fixture.workflow(), campaignId, name: 'Moved' };
      const made = await fixture.acme.call<{ workflowId: string }>('svc_duplicate_workflow', input);
      expect(await read(made.workflowId)).to.deep.include({ campaignId, name: 'Moved' });
    });

    it('refuses a campaign that is missing or of another workspace, also for a user of both', async () => {
      const workflowId = await fixture.workflow();
      const theirs = await fixture.rival.call<{ campaignId: string }>('svc_create_campaign', { title: 'Theirs' });
      const both = await fixture.tools.as({ memberOf: ['acme', 'rival'] });
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
      const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Draft' });
      const input = { campaignId, name: 'Switch', graph: SPEC_GRAPH };
      const { workflowId } = await fixture.acme.call<Workflow>('svc_create_workflow', input);
      expect((await enable(workflowId)).warnings.join(' ')).to.match(/draft campaign was activated.*All 1 healthy/);
      const { campaign } = await fixture.acme.call<{ campaign: { status: string } }>('svc_get_campaign', {
        campaignId,
      });
      expect(campaign.status).to.equal('active');
      const held = (): Promise<unknown[]> => fixture.tools.rows('select 1 from hold where id = $1', [workflowId]);
      await enable(workflowId, false);
      expect([(await read(workflowId)).enabled, (await held()).length]).to.deep.equal([false, 1]);
      await enable(workflowId);
      expect([(await read(workflowId)).enabled, (await held()).length]).to.deep.equal([true, 0]);
    });

    it('a graph that only writes mails needs a healthy mailbox, and no other account stands in for one', async () => {
      const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', {
        title: 'By mail',
      });
      const mail = {
        nodeType: 'mail:send',
        label: 'Mail',
        config: { subject: 'Hello', textMode: 'static', text: 'Hi' },
      };
      const graph = {
        nodes: [{ nodeType: 'source:manual', label: 'By hand', config: {} }, mail],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      const { workflowId } = await fixture.acme.call<Workflow>('svc_create_workflow', {
        campaignId,
        name: 'Mail',
        graph,
      });
      const pause = (paused: boolean): Promise<unknown[]> =>
        fixture.tools.rows(`update network_account set paused = $1 where id = 'box-1'`, [paused]);
      await pause(true);
      expect(await fixture.acme.refusal('svc_update_workflow_status', { workflowId, enabled: true })).to.match(
        /^No healthy mailbox is linked to the workspace\./,
      );
      await pause(false);
      expect((await enable(workflowId)).warnings.join(' ')).to.match(/All 1 healthy/);
    });

    it('a calendar among the senders of mails names no mailbox: all of them mail', async () => {
      const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Slots' });
      const mail = { nodeType: 'mail:send', label: 'Mail', config: { subject: 'Hello', text: 'Hi' } };
      const graph = { nodes: [{ nodeType: 'source:manual' }, mail], edges: [{ sourceIndex: 0, targetIndex: 1 }] };
      const input = { campaignId, name: 'Slots', graph };
      const { workflowId } = await fixture.acme.call<Workflow>('svc_create_workflow', input);
      await fixture.tools.rows(
        `insert into calendar_account (id, workspace_id, url, created_at) values ('cal-1', 'acme', 'https://cal.example', 1)`,
      );
      await fixture.acme.call('svc_update_workflow', { workflowId, providerAccountIds: ['cal-1'] });
      expect((await enable(workflowId)).enabled).to.equal(true);
    });

    it('says that mail steps wait where only the network has somebody who can act', async () => {
      const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Both' });
      const mail = { nodeType: 'mail:send', label: 'Mail', config: { subject: 'Hello', text: 'Hi' } };
      const nodes = [{ nodeType: 'source:manual' }, { nodeType: 'network:profile_view', label: 'Look' }, mail];
      const edges = [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
      ];
      const input = { campaignId, name: 'Both', graph: { nodes, edges } };
      const { workflowId } = await fixture.acme.call<Workflow>('svc_create_workflow', input);
      expect((await enable(workflowId)).warnings.join(' ')).to.not.match(/mailbox/);
      await fixture.tools.rows(`update network_account set paused = true where id = 'box-1'`);
      expect((await enable(workflowId)).warnings.join(' ')).to.match(/No healthy mailbox .* leads wait there/);
      await fixture.tools.rows(`update network_account set paused = false where id = 'box-1'`);
    });

    it('refuses without a healthy account, in a stopped campaign, and with a graph that is not valid any more', async () => {
      const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', {
        title: 'Stopped',
      });
      const input = { campaignId, name: 'Off', graph: SPEC_GRAPH };
      const { workflowId } = await fixture.acme.call<Workflow>('svc_create_workflow', input);
      const refusal = (): Promise<string> =>
        fixture.acme.refusal('svc_update_workflow_status', { workflowId, enabled: true });
      await fixture.tools.rows(`update network_account set status = 'restricted' where id = $1`, [fixture.accountId]);
      expect(await refusal()).to.equal(
        'No healthy network account is linked to the workspace. Call svc_list_network_accounts.',
      );
      await fixture.tools.rows(`update network_account set status = 'ok' where id = $1`, [fixture.accountId]);
      for (const status of ['active', 'paused']) await fixture.acme.call('svc_update_campaign', { campaignId, status });
      expect(await refusal()).to.equal('The campaign is paused; set it to active first. Call svc_update_campaign.');
      await fixture.tools.rows(`update workflow set graph_problem = 'InvalidGraph: a node is gone.' where id = $1`, [
        workflowId,
      ]);
      expect(await refusal()).to.match(
        /^The graph can't run: InvalidGraph: a node is gone\. Call svc_validate_workflow\.$/,
      );
    });

    it('answers a missing and a foreign workflow alike', () =>
      missingWorkflow('svc_update_workflow_status', { enabled: true }));
  });
});
