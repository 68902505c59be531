import { expect } from 'chai';
import { namedNext } from '../../../pkg/mcp/next-tools.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

interface Answered {
  next?: { tool: string; why: string }[];
  nextCursor?: string | null;
}

// Source: the instructions of the server: every result names the next tool.
describe('every result names the tools that come next', function () {
  this.timeout(60_000);
  let tools: McpTools;
  before(async () => {
    tools = await startMcpTools();
  });
  after(() => tools.stop());

  const ask = async (user: ToolUser, name: string, input: Record<string, unknown> = {}): Promise<Answered> => {
    const answer = await user.client.callTool({ name, arguments: input });
    const text = (answer.content as { text: string }[])[0]?.text ?? '';
    expect(answer.isError ?? false, text).to.equal(false);
    expect(JSON.parse(text)).to.deep.equal(answer.structuredContent);
    return answer.structuredContent as Answered;
  };

  /** Each hit and each check of these names its own. */
  const BY_ROW = ['svc_search', 'svc_diagnose'];

  it('each tool names at least one, which exists', () => {
    const names = new Set<string>(ALL_TOOLS.map((tool) => tool.name));
    const silent = ALL_TOOLS.filter((tool) => {
      const next = namedNext(tool);
      return next.length === 0 || next.some((name) => !names.has(name));
    });
    expect(silent.map((tool) => tool.name)).to.have.members(BY_ROW);
  });

  it('what a hit or a check names comes next', async () => {
    const rival = await tools.as({ workspace: 'rival' });
    await rival.call('svc_create_campaign', { title: 'Findable' });
    expect((await ask(rival, 'svc_search', { query: 'Findable' })).next?.map(({ tool }) => tool)).to.deep.equal([
      'svc_get_campaign',
    ]);
    const { next = [] } = await ask(rival, 'svc_diagnose', { target: 'workspace', targetId: 'rival' });
    expect(next.length).to.be.greaterThan(0);
  });

  it('with what each does; a list that goes on names its next page first', async () => {
    const acme = await tools.as({ workspace: 'acme' });
    for (const title of ['One', 'Two']) await acme.call('svc_create_campaign', { title });
    const list = await ask(acme, 'svc_list_campaigns', { limit: 1 });
    expect(list.next?.[0]).to.deep.equal({
      tool: 'svc_list_campaigns',
      why: 'Reads the next page: pass nextCursor as cursor',
    });
    const rest = await ask(acme, 'svc_list_campaigns', { limit: 1, cursor: list.nextCursor });
    expect(rest.next?.map(({ tool }) => tool)).to.not.include('svc_list_campaigns');
    expect(rest.next?.every(({ why }) => /^[A-Z].{8,}[^.]$/.test(why))).to.equal(true);
  });

  it('an answer that is the same for everybody has them too', async () => {
    const acme = await tools.as({ workspace: 'acme' });
    const [first, second] = [
      await ask(acme, 'svc_get_workflow_node_types'),
      await ask(acme, 'svc_get_workflow_node_types'),
    ];
    expect(first.next?.[0]?.tool).to.match(/^svc_/);
    expect(second).to.deep.equal(first);
  });

  it('nobody is sent to a tool that their key may not call', async () => {
    const narrow = await tools.as({ workspace: 'acme', scopes: ['campaigns:read'] });
    const { next = [] } = await ask(narrow, 'svc_list_campaigns');
    const scopes = new Map<string, string>(ALL_TOOLS.map(({ name, scope }) => [name, scope]));
    expect(next.filter(({ tool }) => !['none', 'campaigns:read'].includes(scopes.get(tool) ?? ''))).to.deep.equal([]);
  });
});
