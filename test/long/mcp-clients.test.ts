import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createMCPClient } from '@ai-sdk/mcp';
import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client';
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { MCPServerStreamableHttp } from '@openai/agents';
import { expect } from 'chai';
import { CLIENT_CONFIGS } from '../../cmd/generate/client-configs.ts';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';
import { startMcp } from '../fixtures/mcp/harness.ts';
import { startTestCluster, type TestCluster } from '../tools/kube.ts';
import { type McpProcess, startMcpProcess } from '../tools/mcp-process.ts';

const run = promisify(execFile);
const BIN = new URL('../../node_modules/.bin/', import.meta.url).pathname;
const NAMES = ALL_TOOLS.map((tool) => tool.name);

/** Clients that others wrote, against the process that people run: each lists tools, reads, writes and is refused. */
describe('outside MCP clients', function () {
  this.timeout(90_000);
  let cluster: TestCluster;
  let server: McpProcess;
  let url: string;
  let key: string;
  let folder: string;

  before(async () => {
    cluster = await startTestCluster();
    const inside = await startMcp({ db: cluster.db });
    await inside.workspace('acme');
    key = (await inside.key({ userId: await inside.user({ member: 'acme', role: 'owner' }) })).plaintext;
    await inside.stop();
    server = startMcpProcess(cluster);
    url = (await server.ready).mcpUrl;
    folder = await mkdtemp(join(tmpdir(), 'outrider-clients-'));
  });
  after(async () => {
    server?.child.kill('SIGKILL');
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const authorization = (): { authorization: string } => ({ authorization: `Bearer ${key}` });
  const LIST = { workspaceId: 'acme', name: 'List of a client' };
  /** The README's text for a client, for this server. */
  const config = (client: string): string => {
    const found = CLIENT_CONFIGS.find((one) => one.client === client);
    if (!found) throw new Error(`the README has no ${client}`);
    return found.text(url).replaceAll('<key>', key);
  };
  const environment = () => ({ ...process.env, HOME: folder, NO_COLOR: '1', MCP_REMOTE_CONFIG_DIR: folder });
  type Answer = { content: { text: string }[]; isError?: boolean; structuredContent?: Record<string, unknown> };

  const usesEverything = async (client: SessionClient | StatelessClient): Promise<void> => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).to.deep.equal(NAMES);
    const read = (await client.callTool({ name: 'svc_get_workspace', arguments: { workspaceId: 'acme' } })) as Answer;
    expect(read.structuredContent?.['workspace']).to.include({ workspaceId: 'acme' });
    const made = (await client.callTool({ name: 'svc_create_lead_list', arguments: LIST })) as Answer;
    expect(made.isError ?? false, made.content[0]?.text).to.equal(false);
    const refused = (await client.callTool({ name: 'svc_get_campaign', arguments: { campaignId: 'none' } })) as Answer;
    expect([refused.isError, refused.content[0]?.text]).to.deep.equal([
      true,
      'Campaign "none" was not found. Call svc_list_campaigns to find valid IDs.',
    ]);
    const { resources } = await client.listResources();
    expect(resources.map((one) => one.uri)).to.include('outrider://guide/tools');
    const guide = await client.readResource({ uri: 'outrider://guide/tools' });
    expect(JSON.stringify(guide.contents)).to.contain('svc_create_campaign');
    const { prompts } = await client.listPrompts();
    expect(prompts.map((one) => one.name)).to.deep.equal(['plan_campaign', 'review_queue', 'weekly_report']);
    const prompt = await client.getPrompt({ name: 'plan_campaign', arguments: { goal: 'Ten meetings in May' } });
    expect(JSON.stringify(prompt.messages)).to.contain('Ten meetings in May');
    const argument = { name: 'workspaceId', value: 'ac' };
    const completed = await client.complete({ ref: { type: 'ref/prompt', name: 'plan_campaign' }, argument });
    expect(completed.completion.values).to.deep.equal(['acme']);
  };

  it('SDK v1: a session of 2025-11-25', async () => {
    const client = new SessionClient({ name: 'test', version: '1' });
    const transport = new SessionTransport(new URL(url), { requestInit: { headers: authorization() } });
    await client.connect(transport as never);
    expect(transport.sessionId).to.be.a('string');
    await usesEverything(client);
    await transport.terminateSession();
    await client.close();
  });

  for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }] as const) {
    it(`SDK v2: ${JSON.stringify(mode)}`, async () => {
      const client = new StatelessClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const transport = new StatelessTransport(new URL(url), { requestInit: { headers: authorization() } });
      await client.connect(transport);
      expect(client.getNegotiatedProtocolVersion()).to.equal(mode === 'legacy' ? '2025-11-25' : '2026-07-28');
      await usesEverything(client);
      await client.close();
    });
  }

  it('Vercel AI SDK', async () => {
    const client = await createMCPClient({ transport: { type: 'http', url, headers: authorization() } });
    const tools = await client.tools();
    expect(Object.keys(tools)).to.deep.equal(NAMES);
    const call = async (name: string, input: object): Promise<Answer> => {
      const execute = tools[name]?.execute;
      if (!execute) throw new Error(`${name} can not be called`);
      return (await execute(input, { toolCallId: name, messages: [], context: {} } as never)) as Answer;
    };
    expect(JSON.stringify(await call('svc_get_workspace', { workspaceId: 'acme' }))).to.contain('Name of acme');
    expect(JSON.stringify(await call('svc_create_lead_list', LIST))).to.contain('leadListId');
    await client.close();
  });

  it('OpenAI Agents SDK', async () => {
    const agents = new MCPServerStreamableHttp({ name: 'outrider', url, requestInit: { headers: authorization() } });
    await agents.connect();
    expect((await agents.listTools()).map((tool) => tool.name)).to.deep.equal(NAMES);
    expect(JSON.stringify(await agents.callTool('svc_get_workspace', { workspaceId: 'acme' }))).to.contain(
      'Name of acme',
    );
    expect(JSON.stringify(await agents.callTool('svc_create_lead_list', LIST))).to.contain('leadListId');
    await agents.close();
  });

  it('mcp-remote, as Claude Desktop starts it', async () => {
    const { outrider } = JSON.parse(config('Claude Desktop')).mcpServers;
    const [, , ...words] = outrider.args as string[];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [`${BIN}mcp-remote`, ...words],
      env: { ...(environment() as Record<string, string>), ...outrider.env },
      stderr: 'ignore',
    });
    const client = new SessionClient({ name: 'test', version: '1' });
    await client.connect(transport as never);
    await usesEverything(client);
    await client.close();
  });

  it('mcp-remote with a wrong key says that the key is wrong, where there is no sign-in', async () => {
    const keysOnly = startMcpProcess(cluster, { MCP_SIGN_IN: 'off' });
    const { mcpUrl } = await keysOnly.ready;
    const { outrider } = JSON.parse(config('Claude Desktop')).mcpServers;
    const [, , ...words] = outrider.args as string[];
    const wrong = Object.fromEntries(
      Object.entries(outrider.env as Record<string, string>).map(([name, value]) => [
        name,
        value.replace(/csu?_[0-9a-f]{32}/, `csu_${'0'.repeat(32)}`),
      ]),
    );
    const args = words.map((word) =>
      word === url ? mcpUrl : word.replace(/csu?_[0-9a-f]{32}/, `csu_${'0'.repeat(32)}`),
    );
    const ended = run(process.execPath, [`${BIN}mcp-remote`, ...args], {
      env: { ...(environment() as Record<string, string>), ...wrong },
      timeout: 30_000,
    });
    const said = await ended.then(
      ({ stderr }) => stderr,
      (error: { stderr: string }) => error.stderr,
    );
    keysOnly.child.kill('SIGKILL');
    expect(said).to.contain('The API key of this client is missing, invalid or revoked');
  });

  it('mcporter', async () => {
    const file = join(folder, 'mcporter.json');
    await writeFile(file, config('mcporter'));
    const mcporter = async (...words: string[]): Promise<string> =>
      (await run(process.execPath, [`${BIN}mcporter`, '--config', file, ...words], { env: environment() })).stdout;
    expect(await mcporter('list', 'outrider')).to.contain('svc_create_campaign');
    expect(await mcporter('call', 'outrider.svc_get_workspace', 'workspaceId=acme')).to.contain('Name of acme');
    expect(await mcporter('call', 'outrider.svc_create_lead_list', 'workspaceId=acme', 'name=Of mcporter')).to.contain(
      'leadListId',
    );
  });

  it('the Inspector on the command line; a refusal is exit code 5', async () => {
    const words = [...config('MCP Inspector').matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
    const inspector = (...more: string[]): Promise<{ stdout: string }> =>
      run(process.execPath, [`${BIN}mcp-inspector`, ...more], { env: environment() });
    expect((await inspector(...words.slice(2))).stdout).to.contain('keyType');
    const connection = words.slice(2, words.indexOf('--method'));
    expect((await inspector(...connection, '--method', 'tools/list')).stdout).to.contain('svc_create_campaign');
    const code = await inspector(...connection, '--method', 'tools/call', '--tool-name', 'svc_get_workspace').then(
      () => 0,
      (error: { code: number }) => error.code,
    );
    expect(code).to.equal(5);
  });
});
