import { expect } from 'chai';
import { type McpFixture, missing, NOBODY, startMcpFixture } from '../../../fixtures/tools/mcp-fixture.ts';

interface Graph {
  nodes: { nodeId: string; nodeType: string; label: string; config: object }[];
  edges: { sourceIndex: number; targetIndex: number; branch: string | null }[];
}
interface Workflow {
  graphVersion: number;
  nodeCount: number;
  graph: Graph;
}

const WAIT = { waitType: 'duration', durationMs: 3_600_000 };
const NO_NODE = (id: string): string => missing('Workflow node', id, 'svc_get_workflow');

describe('tools: workflow nodes, by an MCP client', () => {
  let fixture: McpFixture;

  before(async function () {
    this.timeout(60_000);
    fixture = await startMcpFixture(7);
  });
  after(() => fixture.tools.stop());

  const read = async (workflowId: string): Promise<Workflow> =>
    (await fixture.acme.call<{ workflow: Workflow }>('svc_get_workflow', { workflowId })).workflow;
  /** The path of the default branches, by labels. */
  const path = ({ graph }: Workflow): string => {
    const next = new Map(
      graph.edges.filter((edge) => edge.branch === null).map((edge) => [edge.sourceIndex, edge.targetIndex]),
    );
    const names: string[] = [];
    for (let at: number | undefined = 0; at !== undefined; at = next.get(at)) names.push(graph.nodes[at]?.label ?? '');
    return names.join(' > ');
  };
  const foreign = async (name: string, more: object): Promise<void> => {
    const workflowId = await fixture.workflow();
    expect(await fixture.rival.refusal(name, { workflowId, ...more })).to.equal(
      missing('Workflow', workflowId, 'svc_list_workflows'),
    );
  };

  describe('svc_get_workflow_node_types', () => {
    it('gives the vocabulary, and its example is a graph that is taken', async () => {
      const answer = await fixture.acme.call<{
        nodeTypes: { nodeType: string; configHint: object; outcomes: string[] }[];
        exampleGraph: object;
        version: string;
      }>('svc_get_workflow_node_types');
      expect(answer.nodeTypes.map((type) => type.nodeType)).to.include.members(['flow:wait', 'network:message']);
      expect(answer.version).to.match(/^\d+\.\d+\.\d+$/);
      expect((await read(await fixture.workflow(answer.exampleGraph, 'Example'))).graphVersion).to.equal(1);
    });

    it('names types and outcomes at first, and gives the types that are asked for in full; an unknown one is told', async () => {
      const ask = async (input: object): Promise<Record<string, unknown>[]> =>
        (await fixture.acme.call<{ nodeTypes: Record<string, unknown>[] }>('svc_get_workflow_node_types', input))
          .nodeTypes;
      const wait = (all: Record<string, unknown>[]) =>
        all.find(({ nodeType }) => nodeType === 'network:wait_connection');
      expect(wait(await ask({}))).not.to.have.property('configHint');
      expect(wait(await ask({}))?.['outcomes']).to.include.members(['accepted', 'timed_out']);
      const [one, ...none] = await ask({ nodeTypes: [' Network:Wait_Connection '] });
      expect(none).to.deep.equal([]);
      expect(one).to.deep.equal(wait(await ask({ detail: 'full' })));
      expect(one?.['configHint']).to.have.property('timeoutMs');
      expect(await fixture.acme.refusal('svc_get_workflow_node_types', { nodeTypes: ['network:fax'] })).to.match(
        /^Invalid input: nodeTypes: there is no network:fax; there are .*network:message/,
      );
    });
  });

  describe('svc_add_workflow_node', () => {
    it('puts a node between two others as a new version, in the resource too', async () => {
      const workflowId = await fixture.workflow();
      const [view] = (await read(workflowId)).graph.nodes;
      const answer = await fixture.acme.call('svc_add_workflow_node', {
        workflowId,
        nodeType: 'network:follow',
        label: 'Follow',
        afterNodeId: view?.nodeId,
      });
      expect(answer).to.deep.equal({ nodeId: 'follow', graphVersion: 2, nodeCount: 5 });
      expect(path(await read(workflowId))).to.equal('View > Follow > Wait > Connect');
      const object = await fixture.tools.cluster.object(`workflows/outrider/${workflowId}`);
      expect(JSON.stringify(object?.spec)).to.include('"nodeId":"follow"');
    });

    it('goes behind the last step by default, and onto a branch where one is named', async () => {
      const workflowId = await fixture.workflow();
      await fixture.acme.call('svc_add_workflow_node', {
        workflowId,
        nodeType: 'flow:wait',
        label: 'Rest',
        config: WAIT,
      });
      expect(path(await read(workflowId))).to.equal('View > Wait > Connect > Rest');
      const { nodeId } = await fixture.acme.call<{ nodeId: string }>('svc_add_workflow_node', {
        workflowId,
        nodeType: 'lead:tag',
        label: 'Note it',
        config: { add: ['known'] },
        afterNodeId: 'connect',
        branch: 'already_connected',
      });
      const { graph } = await read(workflowId);
      const at = graph.nodes.findIndex((node) => node.nodeId === nodeId);
      expect(graph.edges.find((edge) => edge.targetIndex === at)?.branch).to.equal('already_connected');
    });

    it('gives an id that no version used before: a send of the old node would count for it', async () => {
      const workflowId = await fixture.workflow();
      await fixture.acme.call('svc_remove_workflow_node', { workflowId, nodeId: 'wait' });
      const { nodeId } = await fixture.acme.call<{ nodeId: string }>('svc_add_workflow_node', {
        workflowId,
        nodeType: 'flow:wait',
        label: 'Wait',
        config: WAIT,
      });
      expect(nodeId).to.equal('wait-2');
    });

    it('refuses what the vocabulary does not know, and stores nothing', async () => {
      const workflowId = await fixture.workflow();
      for (const [more, cause] of [
        [{ nodeType: 'no:such' }, /unknown nodeType "no:such"/],
        [{ nodeType: 'flow:wait', config: { waitType: 'never' } }, /config\.waitType/],
        [{ nodeType: 'flow:join', afterNodeId: 'view', branch: 'sideways' }, /unknown branch "sideways"/],
        [{ nodeType: 'flow:end', afterNodeId: 'view' }, /cannot be reached/],
      ] as const) {
        const text = await fixture.acme.refusal('svc_add_workflow_node', { workflowId, ...more });
        expect(text)
          .to.match(/^Invalid input: graph\./)
          .and.match(cause)
          .and.match(/Call svc_get_workflow_node_types/);
      }
      expect((await read(workflowId)).graphVersion).to.equal(1);
    });

    it('refuses a node that is not there, a version that moved on, a foreign workflow', async () => {
      const workflowId = await fixture.workflow();
      const add = { workflowId, nodeType: 'flow:join' };
      expect(await fixture.acme.refusal('svc_add_workflow_node', { ...add, afterNodeId: 'nope' })).to.equal(
        NO_NODE('nope'),
      );
      expect(await fixture.acme.refusal('svc_add_workflow_node', { ...add, expectedGraphVersion: 7 })).to.equal(
        'The graph is at version 1, not 7. Call svc_get_workflow.',
      );
      await foreign('svc_add_workflow_node', { nodeType: 'flow:join' });
    });
  });

  describe('svc_update_workflow_node', () => {
    it('changes label or config, keeps what is absent, and the type', async () => {
      const workflowId = await fixture.workflow();
      const first = await fixture.acme.call('svc_update_workflow_node', { workflowId, nodeId: 'wait', config: WAIT });
      expect(first).to.deep.equal({ nodeId: 'wait', graphVersion: 2 });
      await fixture.acme.call('svc_update_workflow_node', { workflowId, nodeId: 'wait', label: 'An hour' });
      const { graph, graphVersion } = await read(workflowId);
      expect(graphVersion).to.equal(3);
      expect(graph.nodes[1]).to.deep.include({ nodeId: 'wait', nodeType: 'flow:wait', label: 'An hour', config: WAIT });
    });

    it('the same change again makes no new version', async () => {
      const workflowId = await fixture.workflow();
      const change = { workflowId, nodeId: 'wait', label: 'Same' };
      await fixture.acme.call('svc_update_workflow_node', change);
      expect(await fixture.acme.call('svc_update_workflow_node', change)).to.deep.include({ graphVersion: 2 });
    });

    it('refuses a bad config, a missing node, a version that moved on, a foreign workflow', async () => {
      const workflowId = await fixture.workflow();
      const change = { workflowId, nodeId: 'wait' };
      expect(
        await fixture.acme.refusal('svc_update_workflow_node', { ...change, config: { waitType: 'never' } }),
      ).to.match(/^Invalid input: graph\.nodes\.1: .*config\.waitType.*Call svc_get_workflow_node_types/);
      expect(
        await fixture.acme.refusal('svc_update_workflow_node', { workflowId, nodeId: 'nope', label: 'x' }),
      ).to.equal(NO_NODE('nope'));
      expect(
        await fixture.acme.refusal('svc_update_workflow_node', { ...change, label: 'x', expectedGraphVersion: 3 }),
      ).to.equal('The graph is at version 1, not 3. Call svc_get_workflow.');
      await foreign('svc_update_workflow_node', { nodeId: 'wait', label: 'x' });
    });
  });

  describe('svc_remove_workflow_node', () => {
    const places = (
      workflowId: string,
    ): Promise<{ id: string; node_id: string; state: string; graph_version: number }[]> =>
      fixture.tools.rows('select id, node_id, state, graph_version from run where workflow_id = $1 order by id', [
        workflowId,
      ]);
    const stand = (runId: string, nodeId: string, state = 'waiting'): Promise<unknown> =>
      fixture.tools.rows('update run set node_id = $2, state = $3, due_at = null where id = $1', [
        runId,
        nodeId,
        state,
      ]);

    it('joins its neighbours; leads that stand there go on, leads before it never come to it', async () => {
      const workflowId = await fixture.workflow();
      const [at = '', before = '', paused = ''] = await fixture.started(workflowId, fixture.leads.slice(0, 3));
      await stand(at, 'wait');
      await stand(before, 'view');
      await stand(paused, 'wait', 'paused');
      const answer = await fixture.acme.call('svc_remove_workflow_node', { workflowId, nodeId: 'wait' });
      expect(answer).to.deep.equal({ nodeId: 'wait', graphVersion: 2, nodeCount: 3, leadsMoved: 2 });
      expect(path(await read(workflowId))).to.equal('View > Connect');
      const byId = new Map((await places(workflowId)).map((run) => [run.id, run]));
      expect(byId.get(at)).to.deep.include({ node_id: 'connect', state: 'waiting', graph_version: 2 });
      expect(byId.get(before)).to.deep.include({ node_id: 'view', graph_version: 2 });
      expect(byId.get(paused)).to.deep.include({ node_id: 'connect', state: 'paused', graph_version: 2 });
      const { timeline } = await fixture.acme.call<{ timeline: { text: string }[] }>('svc_get_workflow_run', {
        runId: at,
      });
      expect(timeline.map((event) => event.text)).to.include('the step was removed; goes on at connect');
    });

    it('of many leads some thousand move in a transaction, and all of them in the end', async () => {
      const workflowId = await fixture.workflow();
      const add = (nodeId: string, count: number): Promise<unknown> =>
        fixture.tools.force(
          `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
           select gen_random_uuid(), 'acme', $1, $2, gen_random_uuid(), 1, $3, 'waiting', 9e12::bigint, 1, 1 from generate_series(1, $4::int)`,
          [workflowId, fixture.campaignId, nodeId, count],
        );
      await add('wait', 8_000);
      await add('view', 4_000);
      const answer = await fixture.acme.call('svc_remove_workflow_node', { workflowId, nodeId: 'wait' });
      expect(answer).to.include({ leadsMoved: 8_000 });
      const parts = await fixture.tools.rows<{ n: number }>(
        'select count(*)::int as n from run where workflow_id = $1 group by xmin::text order by 1 desc',
        [workflowId],
      );
      expect(parts.map((part) => part.n)).to.deep.equal([5_000, 5_000, 2_000]);
      const standing = await fixture.tools.rows(
        'select node_id, graph_version, count(*)::int as n from run where workflow_id = $1 group by 1, 2 order by 1',
        [workflowId],
      );
      expect(standing).to.deep.equal([
        { node_id: 'connect', graph_version: 2, n: 8_000 },
        { node_id: 'view', graph_version: 2, n: 4_000 },
      ]);
    });

    it('what was cut off behind the write of the resource is finished by the same call', async () => {
      const workflowId = await fixture.workflow();
      const [at = '', before = ''] = await fixture.started(workflowId, fixture.leads.slice(5, 7));
      await stand(at, 'wait');
      await stand(before, 'view');
      await fixture.tools.force('revoke insert on outrider.run_event from outrider_app');
      try {
        expect(await fixture.acme.refusal('svc_remove_workflow_node', { workflowId, nodeId: 'wait' })).to.contain(
          'failed on our side',
        );
      } finally {
        await fixture.tools.force('grant insert on outrider.run_event to outrider_app');
      }
      const again = { workflowId, nodeId: 'wait' };
      expect(await fixture.acme.call('svc_remove_workflow_node', again)).to.deep.equal({
        nodeId: 'wait',
        graphVersion: 2,
        nodeCount: 3,
        leadsMoved: 1,
      });
      const byId = new Map((await places(workflowId)).map((run) => [run.id, run]));
      expect(byId.get(at)).to.deep.include({ node_id: 'connect', graph_version: 2 });
      expect(byId.get(before)).to.deep.include({ node_id: 'view', graph_version: 2 });
      expect(await fixture.acme.refusal('svc_remove_workflow_node', again)).to.equal(NO_NODE('wait'));
    });

    it('leads at the last step are done', async () => {
      const workflowId = await fixture.workflow();
      const [runId = ''] = await fixture.started(workflowId, fixture.leads.slice(3, 4));
      await stand(runId, 'connect');
      const answer = await fixture.acme.call('svc_remove_workflow_node', { workflowId, nodeId: 'connect' });
      expect(answer).to.deep.include({ leadsMoved: 1 });
      expect((await places(workflowId))[0]).to.deep.include({ state: 'completed' });
    });

    it('a step that sent already stays while leads are under way', async () => {
      const workflowId = await fixture.workflow();
      const [runId = ''] = await fixture.started(workflowId, fixture.leads.slice(4, 5));
      await fixture.tools.rows(
        `insert into send (id, workspace_id, run_id, workflow_id, campaign_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at)
         select gen_random_uuid(), workspace_id, id, workflow_id, campaign_id, 'view', lead_id, person_id, $2, 'profile_view', 'confirmed', 1, 1 from run where id = $1`,
        [runId, fixture.accountId],
      );
      expect(await fixture.acme.refusal('svc_remove_workflow_node', { workflowId, nodeId: 'view' })).to.match(
        /^Workflow not changed: the edit loses "view", which sent already.*Call svc_get_workflow\.$/,
      );
    });

    it('keeps the chosen branch; what only another one led to is refused, not dropped', async () => {
      const graph = {
        nodes: [
          {
            nodeType: 'flow:condition',
            label: 'If',
            config: { match: 'all', rules: [{ field: 'lead.title', op: 'exists' }] },
          },
          { nodeType: 'flow:wait', label: 'Rest', config: WAIT },
        ],
        edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'false' }],
      };
      const workflowId = await fixture.workflow(graph);
      expect(
        await fixture.acme.refusal('svc_remove_workflow_node', { workflowId, nodeId: 'if', keepBranch: 'maybe' }),
      ).to.equal('Invalid input: keepBranch: the node has the branches true, false');
      await fixture.acme.call('svc_remove_workflow_node', { workflowId, nodeId: 'if', keepBranch: 'false' });
      expect(path(await read(workflowId))).to.equal('Rest');
      expect(await fixture.acme.refusal('svc_remove_workflow_node', { workflowId, nodeId: 'rest' })).to.match(
        /at least one node.*Call svc_get_workflow_node_types/,
      );
    });

    it('refuses a missing node, a version that moved on, a foreign workflow', async () => {
      const workflowId = await fixture.workflow();
      expect(await fixture.acme.refusal('svc_remove_workflow_node', { workflowId, nodeId: NOBODY })).to.equal(
        NO_NODE(NOBODY),
      );
      expect(
        await fixture.acme.refusal('svc_remove_workflow_node', { workflowId, nodeId: 'wait', expectedGraphVersion: 9 }),
      ).to.equal('The graph is at version 1, not 9. Call svc_get_workflow.');
      await foreign('svc_remove_workflow_node', { nodeId: 'wait' });
    });
  });
});
