import { expect } from 'chai';
import { ConsoleClient } from '../../fixtures/console/console-client.ts';
import { type McpFixture, startMcpFixture } from '../../fixtures/tools/mcp-fixture.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
const GRAPH = {
  nodes: [
    { nodeId: 'start', nodeType: 'source:manual' },
    { nodeId: 'rest', nodeType: 'flow:wait', label: HOSTILE, config: { waitType: 'duration', durationMs: 86_400_000 } },
    { nodeId: 'ways', nodeType: 'flow:split', label: 'Two ways', config: { branches: [{ name: 'a' }, { name: 'b' }] } },
    { nodeId: 'done', nodeType: 'flow:end', label: 'Done' },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3, branch: 'a' },
    { sourceIndex: 2, targetIndex: 3, branch: 'b' },
  ],
};

interface Drawn {
  name: string;
  graphVersion: number;
  nodes: { nodeId: string; label: string; x: number; y: number }[];
  edges: { from: string; to: string; branch: string | null; points: object[] }[];
}

describe('pictures of workflows in the console', function () {
  this.timeout(90_000);
  let fixture: McpFixture;
  let member: ConsoleClient;
  let workflowId: string;

  before(async () => {
    fixture = await startMcpFixture(3);
    const { mcp } = fixture.tools;
    member = await ConsoleClient.signedIn(mcp, await mcp.user({ member: 'acme' }));
    workflowId = await fixture.workflow(GRAPH, `Picture ${HOSTILE}`);
  });
  after(() => fixture?.tools.stop());

  const address = (form: string, workspaceId = 'acme'): string =>
    `/console/api/pictures/${workflowId}.${form}?workspaceId=${workspaceId}`;

  it('V5: a member gets the graph with where its parts stand', async () => {
    const { status, json } = await member.ask(address('json'));
    expect(status).to.equal(200);
    const drawn = json as unknown as Drawn;
    expect(drawn).to.deep.include({ name: `Picture ${HOSTILE}`, graphVersion: 1 });
    expect(drawn.nodes.map(({ nodeId }) => nodeId)).to.deep.equal(['start', 'rest', 'ways', 'done']);
    expect(drawn.nodes.map(({ y }) => y)).to.deep.equal(drawn.nodes.map(({ y }) => y).toSorted((a, b) => a - b));
    expect(drawn.edges.map(({ from, to, branch }) => [from, to, branch])).to.deep.include.members([
      ['start', 'rest', null],
      ['ways', 'done', 'a'],
      ['ways', 'done', 'b'],
    ]);
  });

  it('V5: the same picture is an SVG by its address, with who stands where and why; it runs nothing', async () => {
    await fixture.started(workflowId, fixture.leads.slice(0, 2));
    const { runIds } = await runsOf();
    await fixture.acme.call('svc_control_workflow_runs', { runIds, action: 'move', nodeId: 'rest' });
    const { status, text, headers } = await member.ask(address('svg'));
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'image/svg+xml; charset=utf-8']);
    expect(headers.get('content-security-policy')).to.equal("default-src 'none'; sandbox");
    expect(text).to.contain('2 here');
    expect(text).to.contain('&lt;img src=x onerror=alert(1)&gt;');
    expect(text).to.not.match(/<img|<script/);
  });

  const runsOf = async (): Promise<{ runIds: string[] }> => {
    const { runs } = await fixture.acme.call<{ runs: { runId: string }[] }>('svc_list_workflow_runs', { workflowId });
    return { runIds: runs.map(({ runId }) => runId) };
  };

  it('a change of the graph has another picture', async () => {
    const nodes = [...GRAPH.nodes, { nodeId: 'more', nodeType: 'flow:end', label: 'More' }];
    const edges = [...GRAPH.edges.slice(0, 3), { sourceIndex: 2, targetIndex: 4, branch: 'b' }];
    await fixture.acme.call('svc_update_workflow', { workflowId, graph: { nodes, edges } });
    const drawn = (await member.ask(address('json'))).json as unknown as Drawn;
    expect(drawn.graphVersion).to.equal(2);
    expect(drawn.nodes.map(({ nodeId }) => nodeId)).to.include('more');
  });

  it('nobody sees one of another workspace, though its layout is at hand; nobody sees any signed out', async () => {
    const { mcp } = fixture.tools;
    const stranger = await ConsoleClient.signedIn(mcp, await mcp.user({ member: 'rival' }));
    for (const form of ['svg', 'json']) {
      expect((await member.ask(address(form))).status).to.equal(200);
      expect((await stranger.ask(address(form))).status, 'no member').to.equal(403);
      const foreign = await stranger.ask(address(form, 'rival'));
      expect([foreign.status, foreign.json.error]).to.deep.equal([
        404,
        `Workflow "${workflowId}" was not found. Call svc_list_workflows to find valid IDs.`,
      ]);
      expect((await new ConsoleClient(mcp.url).ask(address(form))).status).to.equal(401);
    }
  });

  it('what is no picture is not found, and nothing is written by an address', async () => {
    for (const name of ['x.png', 'x', '%E0%A4%A.svg', '..%2F..%2Fme.json', `${workflowId}.svg/more`])
      expect((await member.ask(`/console/api/pictures/${name}`)).status, name).to.equal(404);
    expect((await member.ask(address('svg'), { body: {} })).status).to.equal(405);
  });
});
