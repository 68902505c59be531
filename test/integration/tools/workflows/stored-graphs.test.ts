import { expect } from 'chai';
import { type Fixture, SPEC_GRAPH, startFixture } from '../../../fixtures/tools/workflow-fixture.ts';
import { admin, type ToolCalls, workspaceKey } from '../../../tools/tool-calls.ts';

interface Read {
  workflow: {
    enabled: boolean;
    name: string;
    graphVersion: number;
    nodeCount: number;
    networkAccountIds: string[];
    graph: { nodes: { nodeId: string; nodeType: string; label: string; config: object }[]; edges: object[] };
  };
}

describe('graphs as workflows keep them', () => {
  let fixture: Fixture;
  let tools: ToolCalls;
  beforeEach(async () => {
    fixture = await startFixture();
    ({ tools } = fixture);
  });
  afterEach(() => tools.stop());
  const read = async (): Promise<Read['workflow']> =>
    (await tools.call<Read>('svc_get_workflow', { workflowId: fixture.workflowId })).workflow;
  const status = (enabled: boolean): Promise<{ enabled: boolean; warnings: string[] }> =>
    tools.call('svc_update_workflow_status', { workflowId: fixture.workflowId, enabled });

  it("takes the specification's own example; the hidden entry node is counted", async () => {
    const { workflowId: _, nodeCount } = await tools.call<{ workflowId: string; nodeCount: number }>(
      'svc_create_workflow',
      { campaignId: fixture.campaignId, name: 'Twin', graph: SPEC_GRAPH },
    );
    expect(nodeCount).to.equal(4);
    const workflow = await read();
    expect(workflow).to.deep.include({ enabled: false, graphVersion: 1, nodeCount: 4 });
    expect(workflow.graph.nodes.map((node) => node.nodeType)).to.deep.equal(
      SPEC_GRAPH.nodes.map((node) => node.nodeType),
    );
    const list = await tools.call<{ workflows: { name: string }[] }>('svc_list_workflows', {
      campaignId: fixture.campaignId,
      enabled: false,
    });
    expect(list.workflows.map((one) => one.name).toSorted()).to.deep.equal(['Hello', 'Twin']);
    expect(await tools.call('svc_list_workflows', { enabled: true })).to.deep.equal({
      workflows: [],
      nextCursor: null,
    });
  });

  it('a rejected graph names every problem and its place, and nothing is stored', async () => {
    const graph = {
      nodes: [...SPEC_GRAPH.nodes, { nodeType: 'ai:craft' }, { nodeType: 'flow:wait', config: { waitType: 'never' } }],
      edges: [...SPEC_GRAPH.edges, { sourceIndex: 2, targetIndex: 9 }],
    };
    const text = await tools.refusal('svc_create_workflow', { campaignId: fixture.campaignId, name: 'Bad', graph });
    expect(text)
      .to.match(/^Invalid input: graph\./)
      .and.include('graph.nodes.3')
      .and.include('graph.nodes.4')
      .and.include('graph.edges.2')
      .and.match(/svc_get_workflow_node_types/);
    expect(await tools.rows('select 1 from workflow')).to.have.length(1);
    expect(await tools.cluster.list('workflows')).to.have.length(1);
  });

  it('validates with problems, warnings, a forecast under real budgets and rendered samples; stores nothing', async () => {
    const answer = await tools.call<{
      valid: boolean;
      forecast: { perDay: { actionsByKind: Record<string, number> }[]; credits: object };
      renderedSamples: { text: string; missingFields: string[] }[];
    }>('svc_validate_workflow', {
      workflowId: fixture.workflowId,
      simulateLeads: 50,
      horizonDays: 20,
      sampleLeadId: fixture.leads['Ada'],
    });
    expect(answer.valid).to.equal(true);
    const sum = (kind: string): number =>
      answer.forecast.perDay.reduce((total, day) => total + (day.actionsByKind[kind] ?? 0), 0);
    expect(sum('profile_view')).to.be.within(1, 50);
    expect(answer.renderedSamples.map((sample) => sample.text)).to.include('Hi Ada of Firm Ada');
    const bad = await tools.call<{ valid: boolean; errors: { nodeIndex: number }[]; forecast: null }>(
      'svc_validate_workflow',
      { campaignId: fixture.campaignId, graph: { nodes: [{ nodeType: 'no:such' }], edges: [] }, simulateLeads: 5 },
    );
    expect(bad).to.deep.include({ valid: false, forecast: null });
    expect(bad.errors[0]?.nodeIndex).to.equal(0);
    expect(await tools.rows('select 1 from workflow_graph')).to.have.length(1);
  });

  it('validate wants a stored workflow or a campaign with a graph, not both', async () => {
    for (const input of [
      {},
      { workflowId: fixture.workflowId, graph: SPEC_GRAPH },
      { campaignId: fixture.campaignId },
      { graph: SPEC_GRAPH },
    ]) {
      expect(await tools.refusal('svc_validate_workflow', input)).to.equal(
        'Invalid input: workflowId: give either workflowId, or campaignId and graph. Call svc_list_workflows to find valid IDs.',
      );
    }
  });

  it('node ids survive reading a graph and writing it back with a change', async () => {
    const before = await read();
    const nodes = before.graph.nodes.map((node) =>
      node.nodeType === 'flow:wait' ? { ...node, config: { waitType: 'duration', durationMs: 1_000 } } : node,
    );
    const edges = before.graph.edges.map(({ branch, ...edge }: { branch?: string | null }) => ({
      ...edge,
      ...(branch ? { branch } : {}),
    }));
    const answer = await tools.call('svc_update_workflow', {
      workflowId: fixture.workflowId,
      graph: { nodes, edges },
      expectedGraphVersion: 1,
    });
    expect(answer).to.include({ graphVersion: 2, nodeCount: 4 });
    const after = await read();
    expect(after.graph.nodes.map((node) => node.nodeId)).to.deep.equal(before.graph.nodes.map((node) => node.nodeId));
    const old = await tools.call<Read>('svc_get_workflow', { workflowId: fixture.workflowId, graphVersion: 1 });
    expect(old.workflow.graph).to.deep.equal(before.graph);
    expect(await tools.refusal('svc_get_workflow', { workflowId: fixture.workflowId, graphVersion: 3 })).to.match(
      /versions 1 to 2/,
    );
  });

  it('a name or sender alone makes no new graph version; a foreign account is not found', async () => {
    await tools.call('svc_update_workflow', {
      workflowId: fixture.workflowId,
      name: 'Renamed',
      networkAccountIds: [fixture.accountId],
    });
    expect(await read()).to.deep.include({
      name: 'Renamed',
      graphVersion: 1,
      networkAccountIds: [fixture.accountId],
    });
    expect(
      await tools.refusal('svc_update_workflow', { workflowId: fixture.workflowId, networkAccountIds: ['acc-none'] }),
    ).to.equal('Network account "acc-none" was not found. Call svc_list_network_accounts to find valid IDs.');
  });

  it('of two changes that expect the same version one is refused', async () => {
    const change = (durationMs: number): Promise<unknown> =>
      tools.call('svc_update_workflow', {
        workflowId: fixture.workflowId,
        expectedGraphVersion: 1,
        graph: {
          ...SPEC_GRAPH,
          nodes: SPEC_GRAPH.nodes.map((node) =>
            node.nodeType === 'flow:wait' ? { ...node, config: { waitType: 'duration', durationMs } } : node,
          ),
        },
      });
    const results = await Promise.allSettled([change(5_000), change(6_000), change(7_000)]);
    expect(results.filter((one) => one.status === 'fulfilled')).to.have.length(1);
    for (const one of results) {
      if (one.status === 'rejected') expect(String(one.reason)).to.match(/Call svc_get_workflow\./);
    }
    expect((await read()).graphVersion).to.equal(2);
  });

  it('enabling activates a draft campaign and says so; all healthy accounts send', async () => {
    const { enabled, warnings } = await status(true);
    expect(enabled).to.equal(true);
    expect(warnings.join(' '))
      .to.match(/draft campaign was activated/)
      .and.match(/All 1 healthy accounts/);
    expect(await tools.call('svc_get_campaign', { campaignId: fixture.campaignId })).to.have.nested.property(
      'campaign.status',
      'active',
    );
    expect(await tools.rows('select 1 from workspace_wake where workspace_id = $1', ['acme'])).to.have.length(1);
    expect((await status(true)).warnings).to.have.length(1);
  });

  it('disabling writes a hold at once; enabling lifts it', async () => {
    await status(true);
    expect(await status(false)).to.deep.include({ enabled: false, warnings: [] });
    expect(
      await tools.rows(`select 1 from hold where kind = 'workflow' and id = $1`, [fixture.workflowId]),
    ).to.have.length(1);
    expect((await read()).enabled).to.equal(false);
    await status(true);
    expect(await tools.rows('select 1 from hold')).to.have.length(0);
  });

  it('is not enabled without a healthy account, nor in a paused campaign', async () => {
    await tools.rows(`update network_account set status = 'restricted'`);
    const enable = { workflowId: fixture.workflowId, enabled: true };
    expect(await tools.refusal('svc_update_workflow_status', enable)).to.equal(
      'No healthy network account is linked to the workspace. Call svc_list_network_accounts.',
    );
    await tools.rows(`update network_account set status = 'ok'`);
    await tools.call('svc_update_campaign', { campaignId: fixture.campaignId, status: 'active' });
    await tools.call('svc_update_campaign', { campaignId: fixture.campaignId, status: 'paused' });
    expect(await tools.refusal('svc_update_workflow_status', enable)).to.equal(
      'The campaign is paused; set it to active first. Call svc_update_campaign.',
    );
    expect((await read()).enabled).to.equal(false);
  });

  it('a workflow of another workspace is not found by any tool', async () => {
    const rival = workspaceKey('rival');
    const { workflowId } = fixture;
    const text = `Workflow "${workflowId}" was not found. Call svc_list_workflows to find valid IDs.`;
    const calls: [string, object][] = [
      ['svc_get_workflow', { workflowId }],
      ['svc_update_workflow', { workflowId, name: 'x' }],
      ['svc_update_workflow_status', { workflowId, enabled: false }],
      ['svc_validate_workflow', { workflowId }],
      ['svc_trigger_workflow', { workflowId }],
      ['svc_get_workflow_stats', { workflowId }],
      ['svc_list_leads_at_node', { workflowId, nodeId: 'x' }],
      ['svc_list_workflow_runs', { workflowId }],
      ['svc_list_review_items', { workflowId }],
      ['svc_diagnose', { target: 'workflow', targetId: workflowId }],
    ];
    for (const [name, input] of calls) expect(await tools.refusal(name, input, rival), name).to.equal(text);
    expect((await read()).name).to.equal('Hello');
    // An admin who is a member of nothing sees no tenant's records either.
    expect(await tools.refusal('svc_get_workflow', { workflowId }, admin())).to.equal(text);
  });
});
