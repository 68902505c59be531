import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'chai';
import { PROMPTS } from '../../../pkg/mcp/prompts/prompts.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { makeWorkspace } from '../../fixtures/mcp/make-workspace.ts';
import { startTestCluster, type TestCluster } from '../../tools/kube.ts';

describe('MCP resources, prompts and completions', function () {
  this.timeout(30_000);
  let cluster: TestCluster;
  let mcp: Harness;
  let client: Client;
  let rival: Client;
  let campaignId: string;

  before(async () => {
    cluster = await startTestCluster();
    mcp = await startMcp({ db: cluster.db, resources: cluster.resources() });
    for (const name of ['acme', 'rival']) await makeWorkspace(cluster, name);
    client = await mcp.client((await mcp.key({ workspaceId: 'acme' })).plaintext);
    rival = await mcp.client((await mcp.key({ workspaceId: 'rival' })).plaintext);
    const made = await client.callTool({
      name: 'svc_create_campaign',
      arguments: { title: 'Harvest', goal: 'Ten meetings' },
    });
    campaignId = JSON.parse((made.content as { text: string }[])[0]?.text ?? '{}').campaignId;
  });
  after(async () => {
    await mcp.stop();
    await cluster.stop();
  });

  const failing = async (work: Promise<unknown>): Promise<{ code: number; message: string }> => {
    try {
      await work;
    } catch (error) {
      return error as { code: number; message: string };
    }
    throw new Error('it was not refused');
  };

  it('the guide names every tool with scope and required parameters', async () => {
    const { contents } = await client.readResource({ uri: 'outrider://guide/tools' });
    const [{ text = '' } = {}] = contents as { text?: string }[];
    for (const tool of ALL_TOOLS) expect(text).to.contain(`**${tool.name}**`);
    expect(text).to.match(
      /\*\*svc_get_campaign\*\* \(reads, campaigns:read, limit read\): .*Parameters: campaignId\*\./,
    );
  });

  it('the vocabulary is what the tool answers', async () => {
    const { contents } = await client.readResource({ uri: 'outrider://vocabulary/nodes' });
    const tool = (await client.callTool({ name: 'svc_get_workflow_node_types', arguments: { detail: 'full' } })) as {
      structuredContent: object;
    };
    const { next: _, ...own } = tool.structuredContent as { next?: object };
    expect(JSON.parse((contents as { text: string }[])[0]?.text ?? '')).to.deep.equal(own);
  });

  it('a campaign reads as its tool answers it; a foreign one as one that does not exist', async () => {
    const uri = `outrider://campaigns/${campaignId}`;
    const { contents } = await client.readResource({ uri });
    const read = (await client.callTool({ name: 'svc_get_campaign', arguments: { campaignId } })) as {
      structuredContent: object;
    };
    expect(JSON.parse((contents as { text: string }[])[0]?.text ?? '')).to.deep.equal(read.structuredContent);
    const foreign = await failing(rival.readResource({ uri }));
    const missing = await failing(rival.readResource({ uri: 'outrider://campaigns/none' }));
    expect(foreign.code).to.equal(-32_002);
    expect(foreign.message.replace(campaignId, 'none')).to.equal(missing.message);
    for (const odd of [
      'outrider://campaigns/',
      'outrider://campaigns/%E0%A4%A',
      'outrider://nothing/x',
      'file:///etc/passwd',
    ]) {
      expect((await failing(client.readResource({ uri: odd }))).code, odd).to.equal(-32_002);
    }
  });

  it('reading needs the scope of the tool and counts in its limit', async () => {
    const few = (await mcp.key({ workspaceId: 'acme', scopes: ['leads:read'] })).plaintext;
    const refused = await failing((await mcp.client(few)).readResource({ uri: `outrider://campaigns/${campaignId}` }));
    expect([refused.code, refused.message]).to.satisfy(
      ([code, text]: [number, string]) => code === 403 && text.includes('Scope campaigns:read is required'),
    );
    const limits = { read: 1, write: 1, llm: 1, overall: 9 };
    const strict = await startMcp({ db: cluster.db, limits });
    const limited = await strict.client((await strict.key({ workspaceId: 'acme' })).plaintext);
    await limited.readResource({ uri: `outrider://campaigns/${campaignId}` });
    const over = await failing(limited.readResource({ uri: `outrider://campaigns/${campaignId}` }));
    expect(over.code).to.equal(429);
    expect(over.message).to.match(/Rate limit exceeded for svc_get_campaign \(category read, 1 per minute\)/);
    await strict.stop();
  });

  it('ids complete by id and by title, of the own workspace only', async () => {
    const complete = async (of: Client, value: string): Promise<string[]> => {
      const ref = { type: 'ref/resource' as const, uri: 'outrider://campaigns/{campaignId}' };
      return (await of.complete({ ref, argument: { name: 'campaignId', value } })).completion.values;
    };
    expect(await complete(client, '')).to.deep.equal([campaignId]);
    expect(await complete(client, campaignId.slice(0, 4))).to.deep.equal([campaignId]);
    expect(await complete(client, 'harv')).to.deep.equal([campaignId]);
    expect(await complete(client, '%')).to.deep.equal([]);
    expect(await complete(rival, '')).to.deep.equal([]);
    const ref = { type: 'ref/prompt' as const, name: 'weekly_report' };
    const ofPrompt = await client.complete({ ref, argument: { name: 'campaignId', value: '' } });
    expect(ofPrompt.completion.values).to.deep.equal([campaignId]);
    const unknown = await client.complete({
      ref: { type: 'ref/prompt', name: 'none' },
      argument: { name: 'x', value: '' },
    });
    expect(unknown.completion.values).to.deep.equal([]);
  });

  it('prompts name only tools that exist, take their arguments and refuse others by name', async () => {
    const names = new Set<string>(ALL_TOOLS.map((tool) => tool.name));
    for (const prompt of PROMPTS) {
      const given = Object.fromEntries(prompt.arguments.map((one) => [one.name, `given ${one.name}`]));
      const answer = await client.getPrompt({ name: prompt.name, arguments: given });
      const text = JSON.stringify(answer.messages);
      for (const one of prompt.arguments) expect(text).to.contain(`given ${one.name}`);
      for (const [name] of text.matchAll(/svc_[a-z_]+/g)) expect(names.has(name), name).to.equal(true);
    }
    expect((await failing(client.getPrompt({ name: 'plan_campaign' }))).message).to.contain('goal: is required');
    expect((await failing(client.getPrompt({ name: 'nothing' }))).message).to.contain('Known: plan_campaign');
    const odd = client.getPrompt({ name: 'plan_campaign', arguments: { goal: 'x', colour: 'red' } });
    expect((await failing(odd)).message).to.contain('colour: unknown. Known: goal, audience, workspaceId.');
  });
});
